//! What our own code costs between Chrome's reply and the delivered text: parse, curate, uids, view, render, count.
//! Linear in the nodes, whatever the shape; `generated` shows it on four sizes.
#![allow(clippy::unwrap_used, missing_docs)]

use caveman_browse::ax::{Capture, FrameCapture, curate, parse};
use caveman_browse::render::classic;
use caveman_browse::view::{Request, project};
use caveman_browse::{tokens, uid};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::path::Path;

fn capture(raw: Vec<u8>) -> Capture {
    let frame = FrameCapture {
        frame_id: "MAIN".to_owned(),
        loader_id: "LOADER".to_owned(),
        url: "http://bench.test/".to_owned(),
        owner: None,
        session: String::new(),
        raw: raw.into(),
        layout: None,
    };
    Capture { frames: vec![frame] }
}

/// The 200-row order table, as Chromium sent it.
fn order_table() -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/ax/order-table.json")).unwrap()
}

/// A tree of about so many nodes: rows of a cell, a text and a button, as a long list page has them.
fn generated(nodes: usize) -> Vec<u8> {
    let rows = nodes / 4;
    let node = |id: usize, role: &str, name: &str, children: &[usize]| {
        let children: Vec<String> = children.iter().map(|child| format!("\"{child}\"")).collect();
        format!(
            r#"{{"nodeId":"{id}","ignored":false,"role":{{"type":"role","value":"{role}"}},"name":{{"type":"computedString","value":"{name}","sources":[{{"type":"contents"}}]}},"properties":[{{"name":"focusable","value":{{"type":"booleanOrUndefined","value":{}}}}}],"childIds":[{}],"backendDOMNodeId":{id}}}"#,
            role == "button",
            children.join(",")
        )
    };
    let mut out = vec![node(
        1,
        "table",
        "Generated",
        &(0..rows).map(|row| 2 + row * 4).collect::<Vec<_>>(),
    )];
    for row in 0..rows {
        let id = 2 + row * 4;
        out.push(node(id, "row", "", &[id + 1, id + 3]));
        out.push(node(id + 1, "cell", &format!("Item {row}"), &[id + 2]));
        out.push(node(id + 2, "StaticText", &format!("Some words about item {row}"), &[]));
        out.push(node(id + 3, "button", &format!("Open {row}"), &[]));
    }
    format!("{{\"nodes\":[{}]}}", out.join(",")).into_bytes()
}

/// From the raw bytes to the view's text.
fn whole(capture: &Capture, query: Option<&str>) -> String {
    let page = curate(capture).unwrap();
    let uids = uid::classic(&page);
    let view = project(
        &page,
        &uids,
        &Request {
            query,
            interactive: false,
        },
    );
    classic::render(&page, &view, &uids)
}

fn on_the_order_table(criterion: &mut Criterion) {
    let raw = order_table();
    let mut group = criterion.benchmark_group("order table");
    group.throughput(Throughput::Bytes(raw.len() as u64));
    group.bench_function("parse", |bench| {
        bench.iter(|| parse(black_box(&raw)).unwrap().nodes.len());
    });
    group.bench_function("count raw", |bench| {
        bench.iter(|| tokens::count_bytes(black_box(&raw)));
    });
    let capture = capture(raw);
    group.bench_function("parse and curate", |bench| {
        bench.iter(|| curate(black_box(&capture)).unwrap().nodes.len());
    });
    group.bench_function("parse, curate, render", |bench| {
        bench.iter(|| whole(black_box(&capture), None).len());
    });
    let page = curate(&capture).unwrap();
    let uids = uid::classic(&page);
    group.bench_function("uids", |bench| {
        bench.iter(|| uid::classic(black_box(&page)).len());
    });
    for (name, query) in [
        ("focus, one row", "ORD-0173"),
        ("focus, every row", "review ready customer eur"),
    ] {
        let request = Request {
            query: Some(query),
            interactive: false,
        };
        group.bench_function(name, |bench| {
            bench.iter(|| project(black_box(&page), &uids, &request).kept.len());
        });
    }
    let text = whole(&capture, None);
    group.bench_function("count view", |bench| {
        bench.iter(|| tokens::count(black_box(&text)));
    });
    group.finish();
}

fn on_generated_trees(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("generated");
    group.sample_size(20);
    for nodes in [4_500, 9_000, 18_000, 36_000] {
        let capture = capture(generated(nodes));
        group.throughput(Throughput::Elements(nodes as u64));
        group.bench_with_input(BenchmarkId::new("whole", nodes), &capture, |bench, capture| {
            bench.iter(|| whole(black_box(capture), None).len());
        });
        group.bench_with_input(BenchmarkId::new("whole, focused", nodes), &capture, |bench, capture| {
            bench.iter(|| whole(black_box(capture), Some("item 17 open words")).len());
        });
    }
    group.finish();
}

criterion_group!(benches, on_the_order_table, on_generated_trees);
criterion_main!(benches);
