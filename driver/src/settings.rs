//! What the environment says (contract, rule 35): read once, checked, with the variable's name in every refusal.
//!
//! Must not know commands or tools.

use crate::chrome::Env;
use crate::render::{Choice, PayloadKind, ViewKind};
use std::ffi::OsString;
use std::path::PathBuf;

/// The port of the Chrome that the commands share (contract, rule 32).
pub const DEFAULT_PORT: u16 = 9333;

/// The settings of one process.
#[derive(Clone)]
pub struct Settings {
    /// `CAVEMAN_HOME`: where state, store and profile live.
    pub home: PathBuf,
    /// `CAVEMAN_CCR_DB`: the store's file.
    pub database: PathBuf,
    /// `CAVEMAN_BROWSE_CDP`: a Chrome that runs already.
    pub cdp: Option<String>,
    /// `CAVEMAN_BROWSE_PORT`: where the commands' own Chrome listens.
    pub port: u16,
    /// `CAVEMAN_BROWSE_USER_DATA_DIR`: the profile to use.
    pub user_data_dir: Option<PathBuf>,
    /// `CAVEMAN_BROWSE_HEADFUL=1`: with a window.
    pub headful: bool,
    /// `CAVEMAN_BROWSE_EPHEMERAL=1`: the store lives in memory.
    pub ephemeral: bool,
    /// `CAVEMAN_BROWSE_VIEW`: the grammar of views (contract, rule 14).
    pub view: ViewKind,
    /// `CAVEMAN_BROWSE_PAYLOAD`: the form of results (contract, rule 14).
    pub payload: PayloadKind,
    /// What finding a Chrome may look at.
    pub env: Env,
}

/// A variable that says something impossible.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// There is no home directory to put things in.
    #[error("no home directory: set CAVEMAN_HOME to a directory that you may write to")]
    NoHome,
    /// A variable has a value that it cannot have.
    #[error("{name}={value}: {problem}")]
    Bad {
        /// The variable.
        name: &'static str,
        /// What it was set to.
        value: String,
        /// What it may be.
        problem: String,
    },
}

impl Settings {
    /// Reads the process's environment.
    ///
    /// # Errors
    /// When a variable says something impossible.
    pub fn from_process() -> Result<Self, SettingsError> {
        Self::read(&|name| std::env::var_os(name), Env::system())
    }

    /// Reads variables through `var`; an empty one counts as unset, and one that is no text is refused: to take it as unset
    /// would be to use another home than the one that was asked for.
    ///
    /// # Errors
    /// When a variable says something impossible.
    pub fn read(var: &dyn Fn(&str) -> Option<OsString>, env: Env) -> Result<Self, SettingsError> {
        let get = |name: &'static str| match var(name).map(OsString::into_string).transpose() {
            Ok(value) => Ok(value.filter(|value| !value.is_empty())),
            Err(value) => Err(SettingsError::Bad {
                name,
                value: value.to_string_lossy().into_owned(),
                problem: "it is not UTF-8".to_owned(),
            }),
        };
        let home = match get("CAVEMAN_HOME")? {
            Some(home) => PathBuf::from(home),
            None => match get("HOME")?.map_or_else(|| get("USERPROFILE"), |home| Ok(Some(home)))? {
                Some(home) => PathBuf::from(home).join(".caveman"),
                None => return Err(SettingsError::NoHome),
            },
        };
        let port = match get("CAVEMAN_BROWSE_PORT")? {
            None => DEFAULT_PORT,
            Some(value) => match value.parse::<u16>() {
                Ok(port) if port > 0 => port,
                _ => {
                    return Err(SettingsError::Bad {
                        name: "CAVEMAN_BROWSE_PORT",
                        value,
                        problem: "give a port number from 1 to 65535".to_owned(),
                    });
                }
            },
        };
        let flag = |name: &'static str| match get(name)?.as_deref() {
            None | Some("0" | "false" | "no") => Ok(false),
            Some("1" | "true" | "yes") => Ok(true),
            Some(value) => Err(SettingsError::Bad {
                name,
                value: value.to_owned(),
                problem: "give 1 or 0".to_owned(),
            }),
        };
        Ok(Self {
            database: get("CAVEMAN_CCR_DB")?.map_or_else(|| home.join("ccr.db"), PathBuf::from),
            cdp: get("CAVEMAN_BROWSE_CDP")?,
            port,
            user_data_dir: get("CAVEMAN_BROWSE_USER_DATA_DIR")?.map(PathBuf::from),
            headful: flag("CAVEMAN_BROWSE_HEADFUL")?,
            ephemeral: flag("CAVEMAN_BROWSE_EPHEMERAL")?,
            view: choice("CAVEMAN_BROWSE_VIEW", get("CAVEMAN_BROWSE_VIEW")?)?,
            payload: choice("CAVEMAN_BROWSE_PAYLOAD", get("CAVEMAN_BROWSE_PAYLOAD")?)?,
            home,
            env,
        })
    }
}

/// The choice that a variable makes; where it is not set, the one that everybody has.
fn choice<C: Choice + Default>(name: &'static str, value: Option<String>) -> Result<C, SettingsError> {
    match value {
        None => Ok(C::default()),
        Some(value) => C::of(&value).ok_or_else(|| SettingsError::Bad {
            name,
            problem: format!("give {}", C::words()),
            value,
        }),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn read(vars: &[(&str, &str)]) -> Result<Settings, SettingsError> {
        let vars: Vec<(String, String)> = vars.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        Settings::read(
            &|name| vars.iter().find(|(k, _)| k == name).map(|(_, v)| v.into()),
            Env::system(),
        )
    }

    #[test]
    fn defaults_lie_under_the_home() {
        let settings = read(&[("HOME", "/h")]).unwrap();
        assert_eq!(settings.home, PathBuf::from("/h/.caveman"));
        assert_eq!(settings.database, PathBuf::from("/h/.caveman/ccr.db"));
        assert_eq!(
            (settings.port, settings.headful, settings.ephemeral),
            (9333, false, false)
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_variable_that_is_no_text_is_refused_and_not_taken_as_unset() {
        use std::os::unix::ffi::OsStringExt;
        for broken in [
            "CAVEMAN_HOME",
            "CAVEMAN_CCR_DB",
            "CAVEMAN_BROWSE_CDP",
            "CAVEMAN_BROWSE_USER_DATA_DIR",
        ] {
            let var = |name: &str| match name {
                "HOME" => Some("/h".into()),
                name if name == broken => Some(OsString::from_vec(b"/tmp/caf\xe9".to_vec())),
                _ => None,
            };
            let error = Settings::read(&var, Env::system()).err().unwrap().to_string();
            assert!(error.starts_with(broken) && error.contains("not UTF-8"), "{error}");
        }
    }

    #[test]
    fn a_port_is_a_port() {
        for bad in ["0", "65536", "-1", "x", "9333 "] {
            let error = read(&[("HOME", "/h"), ("CAVEMAN_BROWSE_PORT", bad)]).err().unwrap();
            assert!(error.to_string().contains("CAVEMAN_BROWSE_PORT"), "{error}");
        }
        assert_eq!(
            read(&[("HOME", "/h"), ("CAVEMAN_BROWSE_PORT", "65535")]).unwrap().port,
            65535
        );
    }

    #[test]
    fn a_flag_that_is_neither_is_refused() {
        assert!(read(&[("HOME", "/h"), ("CAVEMAN_BROWSE_HEADFUL", "maybe")]).is_err());
        assert!(read(&[("HOME", "/h"), ("CAVEMAN_BROWSE_HEADFUL", "")]).is_ok());
        assert!(read(&[]).is_err());
    }

    #[test]
    fn a_view_or_a_payload_that_there_is_not_is_refused_with_those_that_there_are() {
        let set = read(&[
            ("HOME", "/h"),
            ("CAVEMAN_BROWSE_VIEW", "classic"),
            ("CAVEMAN_BROWSE_PAYLOAD", "json"),
        ])
        .unwrap();
        assert_eq!((set.view, set.payload), (ViewKind::Classic, PayloadKind::Json));
        for (name, says) in [
            ("CAVEMAN_BROWSE_VIEW", "classic"),
            ("CAVEMAN_BROWSE_PAYLOAD", "text or json"),
        ] {
            let error = read(&[("HOME", "/h"), (name, "fancy")]).err().unwrap().to_string();
            assert!(
                error.starts_with(&format!("{name}=fancy: give ")) && error.contains(says),
                "{error}"
            );
        }
    }
}
