//! What we keep of a reply is what was on the wire.

use caveman_browse::cdp::Connection;
use caveman_browse::cdp::protocol::browser_protocol::accessibility::GetFullAxTreeParams;
use caveman_browse::cdp::protocol::js_protocol::runtime::EvaluateParams;

use crate::support::proxy::Proxy;
use crate::support::{LONG, launched, tab};

/// Text with everything that a decoder would rewrite: escapes, unpaired surrogates, characters beyond the BMP, a NUL.
const ODD: &str = r#"
    document.title = 'T\u2028itle \u00e9 \u{1f600}';
    const button = document.createElement('button');
    button.setAttribute('aria-label', 'L\ud800R \\ \" / </script> \x01 NEEDLE-7f3a');
    document.body.append(button);
    const input = document.createElement('input');
    input.value = 'v\ud83d';
    document.body.append(input);
    for (let n = 0; n < 2000; n++) {
        const row = document.createElement('p');
        row.textContent = 'row ' + n + ' \u00fc';
        document.body.append(row);
    }
    document.body.childElementCount
"#;

#[tokio::test]
async fn a_raw_tree_is_byte_for_byte_what_chrome_sent() {
    let Some(chrome) = launched().await else { return };
    let proxy = Proxy::before(chrome.ws_url()).await;
    let connection = Connection::connect(proxy.ws_url()).await.unwrap();
    let page = tab(&connection, "about:blank").await;
    let made = page.call(EvaluateParams::new(ODD), LONG).await.unwrap();
    assert_eq!(made.result.value.unwrap(), 2002);

    let reply = page.call_raw(GetFullAxTreeParams::default(), LONG).await.unwrap();
    let on_the_wire = proxy.result_with(b"NEEDLE-7f3a");
    assert!(reply.result() == on_the_wire, "the kept bytes differ from the wire's");
    assert!(
        on_the_wire.len() > 500_000,
        "the tree is larger than any single read: {}",
        on_the_wire.len()
    );
    assert!(
        reply.text().contains(r"L\ud800R"),
        "the unpaired surrogate is kept as Chrome wrote it"
    );
    chrome.end().await.unwrap();
}
