//! The report as one HTML page, without scripts and without references to other files.
//!
//! Colours are three of those by M. Okabe and K. Ito ("Color Universal Design", 2008), which
//! people with any colour vision can tell apart; the attackers are hatched besides, and what
//! neither side can force is dotted. Every chart has its figures in a table.

mod growth;
mod heat;
mod histogram;
mod lines;
mod markup;
mod shares;
mod svg;
mod words;

use crate::draw::Escaped;
use crate::game::rules::{Ruleset, Side};
use crate::system::bytes::Bytes;
use crate::system::numbers::{counted, grouped};

use super::{Needed, Report, SliceSection, Source};
use heat::capitalized;
use markup::{Table, figure};
use words::{material, percent, plies};

const STYLE: &str = include_str!("page.css");

/// The patterns that distinguish the winners without colours.
const PATTERNS: &str = r##"<svg class="patterns" width="0" height="0" aria-hidden="true"><defs>
<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="attackers-ink" width="6" height="6"/><rect class="gap" width="1.6" height="6"/></pattern>
<pattern id="dots" width="5" height="5" patternUnits="userSpaceOnUse"><rect class="open-ink" width="5" height="5"/><circle class="gap" cx="2.5" cy="2.5" r="1.1"/></pattern>
</defs></svg>
"##;

/// Draws the page.
pub(super) fn page(report: &Report, rules: &Ruleset) -> String {
    let title = format!("{}: a report of its endgame tables", report.title);
    let mut body = header(report, &title);
    body += &overview(report);
    body += &who_wins(report);
    body += &attackers_needed(report);
    body += &longest_wins(report, rules);
    body += &growth_section(report);
    if report.source == Source::Tables {
        for section in &report.slices {
            body += &slice(report, rules, section);
        }
    }
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n\
         <meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta name=\"generator\" content=\"taflbase {}\"/>\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{PATTERNS}<main>\n{body}\
         </main>\n</body>\n</html>\n",
        report.version,
        Escaped(&title)
    )
}

/// The title, what the report was made from, the main results, and how to read it.
fn header(report: &Report, title: &str) -> String {
    let mut facts = vec![
        (
            "Rules",
            format!("{}, fingerprint <code>{}</code>", Escaped(&report.rules), report.fingerprint),
        ),
        ("Made from", made_from(report)),
        ("Made by", format!("taflbase {}", report.version)),
    ];
    if let Some(command) = &report.command {
        facts.push(("Command", format!("<code>{}</code>", Escaped(command))));
    }
    let facts: String =
        facts.iter().map(|(name, fact)| format!("<dt>{name}</dt><dd>{fact}</dd>\n")).collect();
    let notes: String = report
        .notes
        .iter()
        .map(|note| format!("<p class=\"note\">{}</p>\n", Escaped(note)))
        .collect();
    let open = report.open_outcome();
    let drawn = match open {
        "draw" => "draws",
        "endless" => "endless: neither side can force a win, and the attackers win endless play",
        _ => {
            "undecided: neither side can force a win by moves that do not depend on the game so far"
        }
    };
    format!(
        "<header><h1>{}</h1>\n<dl>\n{facts}</dl>\n{notes}{}</header>\n\
         <section class=\"reading\"><h2>How to read this</h2>\n\
         <p>A slice like K2v4 is all positions of the king and 2 defenders against 4 attackers. \
         Placements count mirror images separately. Values are those of best play from the \
         position on, and distances are plies to the end of the game: the winner hurries, the \
         loser delays.</p>\n\
         <p class=\"legend\">{}</p></section>\n",
        Escaped(title),
        key_figures(report),
        [("attackers", "the attackers win"), ("open", drawn), ("defenders", "the defenders win")]
            .map(|(class, meaning)| format!(
                "<span><svg width=\"18\" height=\"12\" aria-hidden=\"true\"><rect class=\"{class}\" \
                 width=\"18\" height=\"12\"/></svg> {meaning}</span>"
            ))
            .join("\n"),
    )
}

fn made_from(report: &Report) -> String {
    let men = report.men.iter().filter_map(|total| total.men).max().unwrap_or(0);
    let slices =
        format!("{} of up to {men} men", counted(report.slices.len(), ["slice", "slices"]));
    let manifest = report.manifest.as_ref().map(|manifest| {
        let date = manifest.date.as_ref().map_or(String::new(), |date| format!(" of {date}"));
        format!("the manifest <code>{}</code>{date}", Escaped(&manifest.path))
    });
    match (report.source, manifest) {
        (Source::Manifest, Some(manifest)) => format!("{manifest} alone: {slices}"),
        (Source::Manifest, None) => format!("a manifest alone: {slices}"),
        (Source::Tables, Some(manifest)) => format!("tables: {slices}; listed in {manifest}"),
        (Source::Tables, None) => format!("tables: {slices}"),
    }
}

fn key_figures(report: &Report) -> String {
    let shares = report.total.winners.shares;
    let mut figures = vec![
        (
            grouped(report.total.winners.positions),
            "placements, with either side to move".to_owned(),
        ),
        (percent(shares.attackers_win), "won by the attackers".to_owned()),
        (
            percent(shares.open()),
            match report.open_outcome() {
                "draw" => "draws".to_owned(),
                name => name.to_owned(),
            },
        ),
        (percent(shares.defenders_win), "won by the defenders".to_owned()),
    ];
    let longest =
        report.slices.iter().filter_map(|section| Some((section, section.longest_win()?)));
    if let Some((section, win)) = longest.max_by_key(|(_, win)| win.plies) {
        figures.push((plies(win.plies), format!("the longest win, in {}", section.slice)));
    }
    if let Some(zugzwangs) = report.total.mutual_zugzwangs {
        figures.push((grouped(zugzwangs), "mutual zugzwangs".to_owned()));
    }
    figures.push((Bytes(report.total.bytes).to_string(), "on disk".to_owned()));
    let items: String = figures
        .iter()
        .map(|(figure, words)| format!("<li><strong>{figure}</strong> {words}</li>\n"))
        .collect();
    format!("<ul class=\"figures\">\n{items}</ul>\n")
}

/// A table of all slices.
fn overview(report: &Report) -> String {
    let has_zugzwangs = report.slices.iter().any(|section| section.mutual_zugzwangs.is_some());
    let mut table = Table::of_markup([
        "slice",
        "placements",
        "attackers win",
        report.open_outcome(),
        "defenders win",
        "longest win",
        if has_zugzwangs { "mutual zugzwangs" } else { "" },
        "size",
    ]);
    for section in &report.slices {
        let name = match report.source {
            Source::Tables => format!("<a href=\"#{0}\">{0}</a>", section.slice),
            Source::Manifest => section.slice.to_string(),
        };
        let shares = section.winners.shares;
        table.row([
            name,
            grouped(section.winners.positions),
            percent(shares.attackers_win),
            percent(shares.open()),
            percent(shares.defenders_win),
            section.longest_win().map_or("–".to_owned(), |win| win.plies.to_string()),
            section.mutual_zugzwangs.map_or(String::new(), grouped),
            Bytes(section.bytes).to_string(),
        ]);
    }
    format!(
        "<section><h2>Slices</h2>\n<p>Counts with either side to move; the longest win in \
         plies.</p>\n{}</section>\n",
        table.to_html()
    )
}

fn who_wins(report: &Report) -> String {
    let figures = Side::ALL.map(|to_move| {
        let caption = format!("{} to move: shares of the placements.", capitalized(to_move.name()));
        figure(&caption, &shares::chart(report, to_move), &shares::table(report, to_move))
    });
    format!(
        "<section><h2>Who wins</h2>\n<div class=\"pair\">\n{}</div></section>\n",
        figures.concat()
    )
}

fn attackers_needed(report: &Report) -> String {
    let maps = Side::ALL.map(|to_move| heat::of_balance(report, to_move));
    let mut table = Table::new([
        "defenders",
        "attackers to move: to win at all",
        "to win most",
        "defenders to move: to win at all",
        "to win most",
    ]);
    for pair in report.needed.chunk_by(|one, next| one.defenders == next.defenders) {
        let cells = pair.iter().flat_map(|needed: &Needed| {
            [needed.to_win_any, needed.to_win_most].map(|fewest| match fewest {
                Some(attackers) => attackers.to_string(),
                None => format!("more than {}", needed.attackers),
            })
        });
        table.row([pair[0].defenders.to_string()].into_iter().chain(cells));
    }
    format!(
        "<section><h2>How many attackers are needed</h2>\n<p>The fewest attackers that win some \
         placement, and more than half of the placements.</p>\n{}<div class=\"pair\">\n{}</div>\
         </section>\n",
        table.to_html(),
        maps.concat()
    )
}

fn longest_wins(report: &Report, rules: &Ruleset) -> String {
    let mut table = Table::of_markup(["slice", "attackers win in", "defenders win in"]);
    for section in report.slices.iter().filter(|section| section.has_distances()) {
        let of = |side: Side| {
            let win = section.longest.iter().find(|win| win.winner == side);
            win.map_or("–".to_owned(), |win| {
                format!("{}, {} to move", plies(win.plies), win.to_move.name())
            })
        };
        let name = section.slice.to_string();
        table.row([name, of(Side::Attackers), of(Side::Defenders)]);
    }
    let records = Side::ALL.map(|winner| {
        let wins = report.slices.iter().flat_map(|section| &section.longest);
        let longest = wins.filter(|win| win.winner == winner).rev().max_by_key(|win| win.plies);
        longest.map_or(String::new(), |win| lines::figure(report, rules, win))
    });
    format!(
        "<section><h2>Longest wins</h2>\n{}<div class=\"pair\">\n{}</div></section>\n",
        table.to_html(),
        records.concat()
    )
}

fn growth_section(report: &Report) -> String {
    let is_estimated = report.growth.iter().any(|row| row.core_seconds.is_some());
    let words = match is_estimated {
        true => {
            "Filled dots are tables that exist. Hollow dots and dashed lines are what further men \
             would take, up to the whole game: the positions are counted, but sizes and times are \
             estimates by the model of <code>taflbase plan</code>, fitted to the tables that exist and \
             to small slices. The further from these, the less certain they are."
        }
        false => "The tables that exist, without estimates for further men.",
    };
    format!(
        "<section><h2>Growth with the number of men</h2>\n<p>{words}</p>\n<div class=\"pair\">\n{}\
         </div></section>\n",
        growth::charts(report)
    )
}

/// The section of a slice.
fn slice(report: &Report, rules: &Ruleset, section: &SliceSection) -> String {
    let shares = section.winners.shares;
    let zugzwangs = section.mutual_zugzwangs.map_or(String::new(), |number| {
        format!(" {}.", counted(number, ["mutual zugzwang", "mutual zugzwangs"]))
    });
    let histograms = Side::ALL.map(|to_move| histogram::of_side(&section.sides[to_move], to_move));
    let maps =
        Side::ALL.map(|to_move| heat::of_king(report, rules, &section.sides[to_move], to_move));
    let charts: String = histograms.into_iter().chain(maps).flatten().collect();
    let wins: String =
        section.longest.iter().map(|win| lines::figure(report, rules, win)).collect();
    format!(
        "<section class=\"slice\" id=\"{0}\"><h2>{0} <small>{1}</small></h2>\n<p>{2} placements \
         with either side to move: the attackers win {3}, the defenders {4}.{zugzwangs}</p>\n\
         <div class=\"pair\">\n{charts}{wins}</div></section>\n",
        section.slice,
        material(section.slice),
        grouped(section.winners.positions),
        percent(shares.attackers_win),
        percent(shares.defenders_win),
    )
}
