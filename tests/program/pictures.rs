//! Boards in colour and as pictures, and histograms as CSV.

use std::fs;

use taflbase::draw::{BoardPicture, Sheet, Style};
use taflbase::notation::parse_move;
use taflbase::position::Position;
use taflbase::rules::{Layout, Ruleset};

use crate::place::{Place, Run, ruleset};

const WON: &str = "/7/4t2/7/7/2K4/7/2t4/ d";
const LOST: &str = "/7/7/5K1/7/3t3/4t2/7/ a";

fn run(place: &Place, variables: &[(&str, &str)], arguments: &[&str]) -> String {
    let mut command = place.command(arguments);
    command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").envs(variables.iter().copied());
    Run::of(command).done()
}

/// Returns a text without the escape sequences of colours.
fn plain(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or("").to_owned();
    parts.fold(first, |plain, part| plain + part.split_once('m').unwrap().1)
}

#[test]
fn colours_are_used_on_terminals_and_on_request() {
    let place = Place::new();
    for arguments in
        [&["probe", "brandubh", WON][..], &["line", "brandubh", WON], &["rules", "ashton"]]
    {
        let text = run(&place, &[], arguments);
        assert!(!text.contains('\x1b'), "{text}");
        let always = [arguments, &["--color", "always"]].concat();
        for coloured in [
            run(&place, &[], &always),
            run(&place, &[("NO_COLOR", "1")], &always),
            run(&place, &[("CLICOLOR_FORCE", "1")], arguments),
        ] {
            assert!(coloured.contains("\x1b["), "{coloured}");
            assert_eq!(plain(&coloured), text);
        }
        let never = [arguments, &["--color", "never"]].concat();
        let both = [("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")];
        assert_eq!(run(&place, &[("CLICOLOR_FORCE", "1")], &never), text);
        assert_eq!(run(&place, &both, arguments), text);
        assert_eq!(run(&place, &[("CLICOLOR_FORCE", "0")], arguments), text);
    }
    place.run(&["rules", "--color", "blue"]).refused(2, &["'blue'", "always"]);
}

#[test]
fn text_boards_do_not_change() {
    // A 5x5 board with marks for gates, hostile squares and goals.
    let rules = Ruleset::load(&ruleset("mini-corner")).unwrap();
    let text = BoardPicture::new(&rules, rules.start).to_text(Style::Plain);
    assert!(rules.describe().contains(&text));
    assert!(text.lines().all(|line| line == line.trim_end()), "{text}");
    assert_eq!(text.lines().last(), Some("     a  b  c  d  e"));
}

#[test]
fn the_svg_of_a_board_does_not_change() {
    let place = Place::new();
    let probe = ["probe", "brandubh", "/7/7/4K2/7/1tT4/7/3t3/ a", "--svg", "-"];
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/board.svg");
    assert_eq!(place.run(&probe).done(), fs::read_to_string(golden).unwrap());
}

#[test]
fn a_turned_board_is_rotated_as_a_whole() {
    let rules = Ruleset::builtin("brandubh").unwrap();
    let svg = |layout: &str, turned: bool| {
        let layout = Layout::parse(layout, rules.board).unwrap();
        let board = BoardPicture::new(&rules, layout);
        Sheet::new("board", vec![if turned { board.turned() } else { board }]).to_svg()
    };
    let shapes = |svg: String| {
        let shapes = svg.lines().filter(|line| line.starts_with(['<', ' ']));
        let is_text = |line: &&str| ["<text", "<desc"].iter().any(|tag| line.starts_with(tag));
        let mut shapes: Vec<String> =
            shapes.filter(|line| !is_text(line)).map(str::to_owned).collect();
        shapes.sort();
        shapes
    };
    let half_a_turn = "/7/1t5/7/7/4K2/7/4t2/";
    let turned = svg("/2t4/7/2K4/7/7/5t1/7/", true);
    assert_eq!(shapes(turned.clone()), shapes(svg(half_a_turn, false)));
    let upright = svg(half_a_turn, false);
    for (one, other) in [("a", "g"), ("2", "6")] {
        let place = |svg: &str, name: &str| {
            let line = svg.lines().find(|line| line.ends_with(&format!(">{name}</text>"))).unwrap();
            line.split_once("font").unwrap().0.to_owned()
        };
        assert_eq!(place(&turned, one), place(&upright, other));
        assert_ne!(place(&turned, one), place(&upright, one));
    }
}

#[test]
fn the_last_move_is_marked_on_both_squares() {
    let rules = Ruleset::builtin("brandubh").unwrap();
    let start = Position::start(&rules).unwrap();
    let played = parse_move(&rules, &start, "d1-c1").unwrap();
    let board = BoardPicture::new(&rules, start.after(&played).layout());
    let marked = board.clone().with_last_move(&played);
    let [before, after] = [board, marked].map(|board| {
        let reversed = board.to_text(Style::Ansi).matches(";7m").count();
        (reversed, Sheet::new("", vec![board]).to_svg())
    });
    assert_eq!([before.0, after.0], [0, 2]);
    assert!(after.1.contains("the last move from d1 to c1"), "{}", after.1);
    // Four lines around each of the squares.
    assert_eq!(after.1.lines().count(), before.1.lines().count() + 8);
}

#[test]
fn titles_and_captions_are_escaped() {
    let rules = Ruleset::builtin("brandubh").unwrap();
    let board = BoardPicture::new(&rules, rules.start).with_caption("a < b", None);
    let svg = Sheet::new("T & t", vec![board]).to_svg();
    assert!(svg.contains("<title>T &amp; t</title>") && svg.contains(">a &lt; b</text>"));
}

/// Returns the size of a PNG file and its pixels.
fn decoded(bytes: &[u8]) -> (usize, usize, Vec<[u8; 3]>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    let pixels = pixels.as_chunks().0.to_vec();
    (info.width as usize, info.height as usize, pixels)
}

#[test]
fn pixels_are_where_the_pieces_are() {
    let place = Place::new();
    let text = place.run(&["probe", "brandubh", WON]).done();
    let printed = place.run(&["probe", "brandubh", WON, "--png", "board.png"]).done();
    assert_eq!(printed, text);
    let (width, height, pixels) = decoded(&fs::read(place.path("board.png")).unwrap());
    // 7 squares of 40 units between frames of 26, and a caption of 30; 2 pixels a unit.
    assert_eq!((width, height), (664, 724));
    // Right of the middle of a square, where no sign is drawn.
    let at = |file: usize, rank: usize| {
        pixels[(2 * (56 + 40 * (7 - rank) + 20) + 1) * width + 2 * (26 + 40 * file + 20) + 22]
    };
    let [c7, e2, c5, c1, a1, d4, b2] =
        [at(2, 7), at(4, 2), at(2, 5), at(2, 1), at(0, 1), at(3, 4), at(1, 2)];
    assert_eq!((c7, e2), ([0x2b, 0x2e, 0x34], [0x2b, 0x2e, 0x34]));
    assert_eq!((c5, c1), ([0xfd, 0xfa, 0xf3], b2));
    assert_eq!((a1, d4), ([0xbf, 0xd3, 0xa2], [0xd9, 0xc6, 0xdc]));
    assert_eq!(b2, [0xea, 0xd9, 0xb8]);
    assert_eq!(pixels[0], [0x3a, 0x41, 0x49]);
    // The arrow from c5 to c1 passes through the middle of c3.
    assert_eq!(pixels[2 * (56 + 180) * width + 2 * 126], [0x2f, 0x74, 0xd0]);
}

#[test]
fn a_line_has_a_board_for_each_move_and_the_end() {
    let place = Place::new();
    let line = ["line", "brandubh", LOST, "--json"];
    let json = place.run(&line).done();
    let printed = place.run(&[&line[..], &["--svg", "line.svg", "--png", "line.png"]].concat());
    assert_eq!(printed.done(), json);
    let svg = fs::read_to_string(place.path("line.svg")).unwrap();
    assert_eq!(svg.matches("<g ").count(), 5);
    for caption in [">1. d5-d1<", ">4. Ka3-a1--<", ">defenders win<"] {
        assert!(svg.contains(caption), "{caption}");
    }
    let (width, height, _) = decoded(&fs::read(place.path("line.png")).unwrap());
    // Three boards and two.
    assert_eq!((width, height), (3 * 664, 2 * 724));
    let alone = place.run(&[&line[..3], &["--svg", "-"]].concat()).done();
    assert_eq!(alone, svg);
}

#[test]
fn a_very_long_line_is_wrapped_into_rows() {
    let rules = Ruleset::builtin("brandubh").unwrap();
    let board = BoardPicture::new(&rules, rules.start).with_caption("1. d5-d1", None);
    // A line of 216 plies.
    let svg = Sheet::new("A line", vec![board; 217]).to_svg();
    let view = svg.split_once("viewBox=\"0 0 ").unwrap().1.split_once('"').unwrap().0;
    assert_eq!(view, "3652 7240");
}

/// Writes a picture to a pipe and checks that the pipe is not replaced by a file.
#[cfg(unix)]
fn is_written_to(place: &Place, pipe: &str) {
    use std::io::Read;
    use std::os::unix::fs::FileTypeExt;
    use std::process::Command;

    let path = place.path(pipe);
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    // The pipe is opened for reading and writing, so that neither side waits.
    let mut reader = fs::File::options().read(true).write(true).open(&path).unwrap();
    let probe = ["probe", "brandubh", WON, "--svg"];
    let whole = place.run(&[&probe[..], &["-"]].concat()).done();
    place.run(&[&probe[..], &[pipe]].concat()).done();
    assert!(path.metadata().unwrap().file_type().is_fifo());
    let mut written = vec![0; whole.len()];
    reader.read_exact(&mut written).unwrap();
    assert_eq!(String::from_utf8(written).unwrap(), whole);
}

#[test]
fn pictures_that_cannot_be_written_are_reported() {
    let place = Place::new();
    // A program that replaced a pipe would replace a device, too.
    #[cfg(unix)]
    is_written_to(&place, "pipe");
    fs::create_dir(place.path("folder")).unwrap();
    let both = place.run(&["probe", "brandubh", WON, "--svg", "a", "--png", "a"]);
    both.refused(2, &["--svg", "--png", "one file"]);
    for option in ["--svg", "--png"] {
        for command in ["probe", "line"] {
            for file in ["folder", "nowhere/board"] {
                let run = place.run(&[command, "brandubh", WON, option, file]);
                run.refused(2, &[file, "cannot write the picture"]);
                assert_eq!(run.out, "");
            }
            if cfg!(target_os = "linux") {
                let run = place.run(&[command, "brandubh", WON, option, "/dev/full"]);
                run.refused(2, &["/dev/full", "cannot write the picture"]);
                // A folder in which nobody can create files.
                let run = place.run(&[command, "brandubh", WON, option, "/sys/board"]);
                run.refused(2, &["/sys/board: cannot write the picture: ", "(os error "]);
                assert_eq!(run.err.matches('/').count(), 2, "{}", run.err);
            }
        }
        let batch = ["probe", "brandubh", "--batch", "-", option, "board"];
        place.run(&batch).refused(2, &["--batch", option]);
    }
    let both = ["probe", "brandubh", WON, "--svg", "-", "--png", "-"];
    place.run(&both).refused(2, &["--svg", "--png", "standard output"]);
}

/// A file that may not grow simulates a full disk.
#[cfg(unix)]
#[test]
fn files_are_written_completely_or_not_at_all() {
    use std::os::unix::fs::symlink;
    use std::process::Command;

    let place = Place::with("brandubh", "2");
    fs::write(place.path("old"), "mine").unwrap();
    symlink("old", place.path("link")).unwrap();
    let files = || fs::read_dir(place.path("")).unwrap().count();
    let all = files();
    let commands = [
        &["probe", "brandubh", WON, "--svg"][..],
        &["probe", "brandubh", WON, "--png"],
        &["manifest", "brandubh", "--output"],
    ];
    for command in commands {
        fs::remove_file(place.path("old")).unwrap();
        for name in ["old", "link"] {
            let whole = place.command(&[command, &[name]].concat());
            let program = whole.get_program().to_owned();
            let mut limited = Command::new("sh");
            limited.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\""]);
            limited.arg(program).args(whole.get_args()).current_dir(place.path(""));
            let is_there = place.path("old").exists();
            let before = is_there.then(|| fs::read(place.path("old")).unwrap());
            Run::of(limited).refused(2, &[name, "cannot write"]);
            assert_eq!(before, is_there.then(|| fs::read(place.path("old")).unwrap()));
            assert_eq!(files(), if is_there { all } else { all - 1 });
            Run::of(whole).done();
            assert_eq!(files(), all);
            assert!(place.path("link").is_symlink());
        }
    }
}

#[test]
fn histograms_are_printed_as_csv() {
    let place = Place::with("brandubh", "3");
    let csv = place.run(&["stats", "brandubh", "--slice", "K0v1", "K1v1", "K0v2", "--csv"]).done();
    let mut lines = csv.lines();
    let header = "rules,slice,defenders,attackers,to_move,category,dtw,positions,first_position";
    assert_eq!(lines.next(), Some(header));
    let stats = ["stats", "brandubh", "--slice", "K0v1", "K1v1", "K0v2", "--json"];
    for report in place.run(&stats).json() {
        for bar in report["histogram"].as_array().unwrap() {
            let cells: Vec<&str> = lines.next().unwrap().split(',').collect();
            let [rules, slice, defenders, attackers, to_move, category, dtw, positions, first] =
                cells[..]
            else {
                panic!("{cells:?}");
            };
            assert_eq!((rules, slice), ("brandubh", report["slice"].as_str().unwrap()));
            assert_eq!(defenders, report["defenders"].to_string());
            assert_eq!(attackers, report["attackers"].to_string());
            assert_eq!(to_move, report["to_move"]);
            assert_eq!(category, bar["category"]);
            assert_eq!(dtw.is_empty(), bar["dtw"].is_null());
            assert_eq!(positions, bar["positions"].to_string());
            let probed = &place.run(&["probe", "brandubh", first, "--json"]).json()[0];
            assert_eq!((&probed["category"], &probed["dtw"]), (&bar["category"], &bar["dtw"]));
        }
    }
    assert_eq!(lines.next(), None);
    place.run(&["stats", "brandubh", "--csv", "--json"]).refused(2, &["--csv", "--json"]);
}
