//! What a person sees meanwhile: a bar on a terminal, nothing in a pipe.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The bar.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// For so many parts. Shown on standard error, and only if that is a terminal.
    pub fn new(parts: usize) -> Progress {
        let bar = ProgressBar::new(parts as u64);
        if !std::io::stderr().is_terminal() {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        if let Ok(style) = ProgressStyle::with_template("{bar:24} {pos}/{len} {elapsed} {msg}") {
            bar.set_style(style);
        }
        Progress { bar }
    }

    /// What is being done now.
    pub fn at(&self, what: impl Into<String>) {
        self.bar.set_message(what.into());
        self.bar.tick();
    }

    /// One part is done.
    pub fn done(&self) {
        self.bar.inc(1);
    }

    /// Takes the bar away.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }
}
