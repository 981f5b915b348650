//! What the catalog costs each session (contract, rules 2 and 40).

use caveman_browse::tools::catalog;

/// The limit of the contract, in o200k tokens of the compact JSON.
const LIMIT: usize = 300;

#[test]
fn the_catalog_costs_at_most_300_tokens() {
    let json = catalog::to_json();
    let tokens = tiktoken_rs::o200k_base().unwrap().encode_ordinary(&json).len();
    println!("catalog: {tokens} of {LIMIT} o200k tokens, {} bytes", json.len());
    assert!(tokens <= LIMIT, "{tokens} tokens:\n{json}");
    assert_eq!(tokens, caveman_browse::tokens::count(&json));
}

#[test]
fn each_schema_is_an_object_with_its_parameters_and_no_more() {
    for spec in &catalog::CATALOG {
        let schema = spec.input_schema();
        assert_eq!(schema["type"], "object");
        let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        assert_eq!(names.len(), spec.parameters.len());
        assert!(
            spec.parameters
                .iter()
                .all(|parameter| names.iter().any(|name| *name == parameter.name))
        );
        assert_eq!(catalog::find(spec.name), Some(spec));
    }
    assert_eq!(catalog::find("browser_Snapshot"), None);
}
