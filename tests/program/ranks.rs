//! Builds by several processes: their plans, and a program without MPI.

use crate::place::Place;

/// What is tested does not depend on exact times.
const PLAN: [&str; 6] = ["plan", "brandubh", "--slice", "K2v4", "--calibration", "1"];

#[test]
fn large_slices_are_divided_among_all_ranks() {
    let place = Place::new();
    let plan = |memory: &str| {
        let ranks = ["--ranks", "4", "--threads", "1", "--memory", memory];
        place.run(&[&PLAN[..], &["--json"], &ranks].concat()).json()
    };
    let all = plan("8GiB");
    let of = |name: &str| all.iter().find(|slice| slice["slice"] == name).unwrap();
    let large = of("K2v4");
    assert_eq!((&large["by"], &large["shares"]), (&4.into(), &4.into()));
    assert!(large["exchanged_bytes"].as_u64() > large["rows"].as_u64());
    let small = of("K0v4");
    assert_eq!((&small["by"], &small["exchanged_bytes"]), (&1.into(), &0.into()));
    // With less memory there are more partitions; with too little, the slice does not fit.
    let shares = |memory: &str| plan(memory).pop().unwrap()["shares"].clone();
    assert!(shares("300MiB").as_u64() > Some(4));
    assert!(shares("20MiB").is_null());
    assert_eq!(plan("20MiB").pop().unwrap()["state"], "does not fit");
    let text = place.run(&["plan", "brandubh", "--men", "3", "--ranks", "2"]).done();
    assert!(text.lines().next().unwrap().ends_with("by  partitions  exchange"), "{text}");
    let header: Vec<&str> = text.lines().next().unwrap().split_whitespace().collect();
    assert!(header.ends_with(&["wall", "ply", "write", "by", "partitions", "exchange"]), "{text}");
    let last = text.lines().last().unwrap();
    assert!(last.starts_with("wall-clock: about ") && last.ends_with(" (writing)"), "{text}");
    // A single process may have little memory, too.
    let text = place.run(&[&PLAN[..], &["--memory", "300MiB"]].concat()).done();
    let large: Vec<&str> = text
        .lines()
        .find(|line| line.starts_with("K2v4"))
        .unwrap()
        .split_whitespace()
        .rev()
        .take(4)
        .collect();
    assert_eq!((large[3], large[0]), ("1", "B"), "{text}");
    assert!(large[2].parse::<u64>().unwrap() > 1, "{text}");
    // That takes more time, and more disk where both compress their scratch.
    let one = |memory: &str| {
        place.run(&[&PLAN[..], &["--json", "--memory", memory]].concat()).json().pop().unwrap()
    };
    let (little, much) = (one("300MiB"), one("8GiB"));
    for plan in [&little, &much] {
        assert_eq!((&plan["by"], &plan["exchanged_bytes"]), (&1.into(), &0.into()), "{plan}");
    }
    assert!(little["shares"].as_u64() > Some(1) && much["shares"] == 0, "{little} {much}");
    for what in ["least_scratch_bytes", "core_seconds"] {
        let times = little[what].as_f64().unwrap() / much[what].as_f64().unwrap();
        assert!(times > 1.3, "{what}: {little} {much}");
    }
    let text = place.run(&["plan", "brandubh", "--men", "3", "--memory", "1MiB"]).done();
    assert!(text.contains("too large for this amount of memory"), "{text}");
}

/// Time limits must leave room for what an interruption repeats.
#[test]
fn wall_clock_time_is_the_core_time_divided_among_all_threads() {
    let place = Place::new();
    let ranks = ["--ranks", "4", "--threads", "3", "--memory", "8GiB"];
    for slice in place.run(&[&PLAN[..], &ranks, &["--json"]].concat()).json() {
        let [core, wall, ply, writing] =
            ["core_seconds", "wall_seconds", "longest_ply_seconds", "writing_seconds"]
                .map(|name| slice[name].as_f64().unwrap());
        let threads = 3.0 * slice["by"].as_f64().unwrap();
        assert!((wall * threads / core - 1.0).abs() < 1e-9, "{slice}");
        assert!(0.0 < ply && ply < writing && writing < wall, "{slice}");
    }
    // Slices of one process each are built side by side, so that the whole takes longer than each.
    let text = place.run(&[&PLAN[..], &ranks].concat()).done();
    assert!(text.contains("\nwall-clock: about "), "{text}");
    let tight = ["--ranks", "2", "--memory", "20MiB", "--json"];
    let tight = place.run(&[&PLAN[..], &tight].concat());
    let slice = tight.json().pop().unwrap();
    assert!(slice["wall_seconds"].is_null() && slice["writing_seconds"].is_null(), "{slice}");
    let usual = place.run(&["plan", "brandubh", "--men", "3"]).done();
    assert!(!usual.contains("wall"), "{usual}");
}

#[cfg(not(feature = "mpi"))]
#[test]
fn a_program_without_mpi_refuses_to_build_under_it() {
    use crate::place::Run;

    for launcher in ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"] {
        let place = Place::new();
        let mut verify = place.command(&["verify", "brandubh", "--slice", "K0v1"]);
        verify.env(launcher, "3");
        Run::of(verify).refused(2, &["one of 3 processes", "--features mpi"]);
        let mut build = place.command(&["build", "brandubh", "--men", "2"]);
        build.env(launcher, "3");
        Run::of(build).refused(2, &["one of 3 processes", "--features mpi"]);
        assert!(!place.path("tables/brandubh").exists());
        // A launcher may start only one process.
        let mut build = place.command(&["build", "brandubh", "--men", "2"]);
        build.env(launcher, "1");
        Run::of(build).done();
    }
}
