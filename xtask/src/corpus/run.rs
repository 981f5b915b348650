//! The command: which trees are there, which are fetched, and where the pages are served.

use std::path::{Path, PathBuf};

use crate::corpus::manifest::{Manifest, Tree, parse};
use crate::corpus::{check, fetch, resources};
use crate::error::XtaskError;
use crate::repo::Repo;

/// Where the manifest is.
const MANIFEST: &str = "scenarios/corpus.toml";
/// The file in a complete tree that says what it was made of.
const STAMP: &str = ".corpus";

/// What to do with the corpus.
#[derive(clap::Args)]
pub(crate) struct CorpusArgs {
    /// Show the pages and whether they are there; fetch nothing.
    #[arg(long, conflicts_with = "check")]
    list: bool,
    /// Take a snapshot of each page, and of the bench's own, with the command line; fails where one is refused.
    #[arg(long)]
    check: bool,
    /// With --check: print the result as one JSON object.
    #[arg(long, requires = "check")]
    json: bool,
    /// The cache; default: `caveman-browse/corpus` in the user's cache directory.
    #[arg(long, env = "CAVEMAN_CORPUS", value_name = "DIRECTORY")]
    cache: Option<PathBuf>,
}

/// Fetches what is not there yet, and shows where each page is served.
pub(crate) fn run(repo: &Repo, install: bool, args: &CorpusArgs) -> Result<(), XtaskError> {
    let path = repo.root().join(MANIFEST);
    let text = std::fs::read_to_string(&path).map_err(XtaskError::io(&path))?;
    let manifest = parse(&text).map_err(|reason| XtaskError::Manifest { path, reason })?;
    let cache = match &args.cache {
        Some(cache) => cache.clone(),
        None => default_cache(|name| std::env::var_os(name).map(PathBuf::from)).ok_or(XtaskError::NoCache)?,
    };
    let mut failed = 0;
    for (index, tree) in manifest.trees.iter().enumerate() {
        let label = format!("[{}/{}] {}", index + 1, manifest.trees.len(), tree.name);
        match ensure(repo, &cache, tree, args.list, &label) {
            Ok(()) => {}
            Err(error) => {
                eprintln!("{label}: {error}");
                failed += 1;
            }
        }
    }
    if args.check {
        // A page that could not be fetched is refused below, with the others' results beside it.
        return check::run(repo, install, &manifest, &cache, args.json);
    }
    let absent = show(&manifest, &cache);
    if !args.list && (failed > 0 || absent > 0) {
        return Err(XtaskError::Corpus {
            trees: failed,
            pages: absent,
        });
    }
    Ok(())
}

/// `$XDG_CACHE_HOME` or `~/.cache`, and on other systems what takes its place.
fn default_cache(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let base = variable("XDG_CACHE_HOME")
        .filter(|path| path.is_absolute())
        .or_else(|| variable("LOCALAPPDATA"))
        .or_else(|| variable("HOME").map(|home| home.join(".cache")))?;
    Some(base.join("caveman-browse").join("corpus"))
}

/// Makes the tree if it is not there as the manifest wants it. It appears as a whole.
fn ensure(repo: &Repo, cache: &Path, tree: &Tree, list: bool, label: &str) -> Result<(), XtaskError> {
    let mut own = Vec::new();
    for (name, file) in &tree.own {
        let path = repo.root().join(file);
        own.push((name.clone(), std::fs::read(&path).map_err(XtaskError::io(&path))?));
    }
    let place = cache.join(&tree.name);
    let stamp = tree.stamp(&own);
    if std::fs::read_to_string(place.join(STAMP)).is_ok_and(|found| found == stamp) {
        eprintln!("{label}: there");
        return Ok(());
    }
    if list {
        eprintln!("{label}: not there");
        return Ok(());
    }
    std::fs::create_dir_all(cache).map_err(XtaskError::io(cache))?;
    let work = tempfile::Builder::new()
        .prefix(".new-")
        .tempdir_in(cache)
        .map_err(XtaskError::io(cache))?;
    let made = work.path().join(&tree.name);
    std::fs::create_dir(&made).map_err(XtaskError::io(&made))?;
    for package in &tree.packages {
        eprintln!("{label}: fetching {} {}", package.name, package.version);
        fetch::package(tree.from, package, &made, work.path())?;
    }
    for (name, bytes) in &own {
        let path = made.join(name);
        std::fs::write(&path, bytes).map_err(XtaskError::io(&path))?;
    }
    std::fs::write(made.join(STAMP), stamp).map_err(XtaskError::io(&made))?;
    if place.exists() {
        // What was there is of other versions; it goes with the working directory.
        std::fs::rename(&place, work.path().join("old")).map_err(XtaskError::io(&place))?;
    }
    std::fs::rename(&made, &place).map_err(XtaskError::io(&place))?;
    eprintln!("{label}: done");
    Ok(())
}

/// Prints each page: id, served path, and how many of its files its package lacks. Gives how many are absent.
fn show(manifest: &Manifest, cache: &Path) -> usize {
    println!("{}", cache.display());
    let mut absent = 0;
    for page in &manifest.pages {
        let path = cache.join(&page.tree).join(&page.file);
        let note = match std::fs::read(&path) {
            Err(_) => {
                absent += 1;
                "  absent".to_owned()
            }
            Ok(html) => match resources::missing(&path, &String::from_utf8_lossy(&html)).len() {
                0 => String::new(),
                count => format!("  ({count} of its files are not in the package)"),
            },
        };
        println!("{:<12} {}{note}", page.id, page.served());
    }
    absent
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn cache(set: &[(&str, &str)]) -> Option<PathBuf> {
        default_cache(|name| {
            set.iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| PathBuf::from(value))
        })
    }

    #[test]
    #[cfg(unix)]
    fn the_cache_is_where_the_user_keeps_caches() {
        assert_eq!(
            cache(&[("XDG_CACHE_HOME", "/c"), ("HOME", "/h")]).unwrap(),
            Path::new("/c/caveman-browse/corpus")
        );
        assert_eq!(
            cache(&[("XDG_CACHE_HOME", "c"), ("HOME", "/h")]).unwrap(),
            Path::new("/h/.cache/caveman-browse/corpus")
        );
        assert_eq!(cache(&[]), None);
    }

    fn tree(sha256: &str) -> Tree {
        let text = format!(
            "[[tree]]\nname = \"t\"\nfrom = \"npm\"\npackages = [{{ name = \"t\", version = \"1\", sha256 = \"{sha256}\" }}]\n[[page]]\nid=\"p\"\ntree=\"t\"\nfile=\"f\""
        );
        parse(&text).unwrap().trees.remove(0)
    }

    #[test]
    fn a_tree_with_the_right_stamp_is_left_alone_and_another_is_not_there() {
        let cache = tempfile::tempdir().unwrap();
        let repo = Repo::locate().unwrap();
        let tree = tree(&"0".repeat(64));
        std::fs::create_dir(cache.path().join("t")).unwrap();
        std::fs::write(cache.path().join("t").join(STAMP), tree.stamp(&[])).unwrap();
        ensure(&repo, cache.path(), &tree, false, "t").unwrap();
        assert_eq!(std::fs::read_dir(cache.path()).unwrap().count(), 1);
    }
}
