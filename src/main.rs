//! The `taflbase` program: see `taflbase --help`.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
