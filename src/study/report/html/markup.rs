//! Tables and figures in HTML.

use crate::draw::Escaped;
use crate::system::numbers::grouped;

/// A table; the first column names the rows.
pub(super) struct Table {
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
    /// Whether the cells are markup already.
    is_markup: bool,
}

impl Table {
    pub(super) fn new<const N: usize>(heads: [&str; N]) -> Table {
        Table { heads: heads.map(str::to_owned).to_vec(), rows: Vec::new(), is_markup: false }
    }

    /// Creates a table whose cells are HTML.
    pub(super) fn of_markup<const N: usize>(heads: [&str; N]) -> Table {
        Table { is_markup: true, ..Table::new(heads) }
    }

    /// Adds a row.
    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Adds a row of a name and counts.
    pub(super) fn numbers(&mut self, name: String, counts: impl IntoIterator<Item = u64>) {
        self.row([name].into_iter().chain(counts.into_iter().map(grouped)));
    }

    /// Returns the element, which scrolls sideways if it is wider than the page.
    pub(super) fn to_html(&self) -> String {
        let heads: String =
            self.heads.iter().map(|head| format!("<th scope=\"col\">{head}</th>")).collect();
        let rows: String = self.rows.iter().map(|row| self.row_html(row)).collect();
        format!(
            "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>{heads}</tr></thead>\n\
             <tbody>\n{rows}</tbody></table></div>\n"
        )
    }

    fn row_html(&self, row: &[String]) -> String {
        let cells = row.iter().enumerate().map(|(i, text)| {
            let content = if self.is_markup { text.clone() } else { Escaped(text).to_string() };
            match i {
                0 => format!("<th scope=\"row\">{content}</th>"),
                _ => format!("<td>{content}</td>"),
            }
        });
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    }

    /// Returns the table of a chart's figures, which opens on request.
    pub(super) fn folded(&self) -> String {
        format!("<details><summary>Figures as a table</summary>\n{}</details>\n", self.to_html())
    }
}

/// Returns a figure with its caption, and the table of its figures. The caption is HTML.
pub(super) fn figure(caption: &str, chart: &str, table: &Table) -> String {
    format!(
        "<figure><figcaption>{caption}</figcaption>\n<div class=\"scroll\" tabindex=\"0\">{chart}\
         </div>\n{}</figure>\n",
        table.folded()
    )
}
