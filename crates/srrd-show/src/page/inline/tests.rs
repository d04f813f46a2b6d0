use proptest::prelude::*;

use super::*;

fn refused(svg: &str) -> SvgError {
    match inline_svg(svg, "p-") {
        Ok(markup) => panic!("{svg} became {markup}"),
        Err(error) => error,
    }
}

#[test]
fn a_chart_comes_through() {
    let svg = r#"<?xml version="1.0"?><!-- made by hand -->
<svg xmlns="http://www.w3.org/2000/svg" class="srrd-chart" role="img" aria-label="a &lt;b&gt;" viewBox="0 0 9 9">
<g class="series" data-series="&quot;&gt;&lt;img src=x onerror=alert(1)&gt;" tabindex="0">
<circle class="point" cx="1" cy="2" r="3" data-note="javascript: is a language"><title>a &amp; b</title></circle></g></svg>"#;
    let markup = inline_svg(svg, "p-").unwrap();
    assert!(markup.starts_with(r#"<svg class="srrd-chart" role="img" aria-label="a &lt;b&gt;" viewBox="0 0 9 9">"#));
    assert!(markup.contains(r#"data-series="&quot;&gt;&lt;img src=x onerror=alert(1)&gt;""#), "{markup}");
    assert!(markup.contains(r#"data-note="javascript: is a language"><title>a &amp; b</title></circle>"#), "{markup}");
    assert!(!markup.contains("made by hand") && !markup.contains("<?"), "{markup}");
}

#[test]
fn elements_that_run_or_embed_are_refused() {
    for inner in [
        "<script>alert(1)</script>",
        "<SCRIPT/>",
        "<foreignObject><p/></foreignObject>",
        "<style>@import 'a.css'</style>",
        "<a href='#x'/>",
        "<animate attributeName='href' to='javascript:alert(1)'/>",
        "<set attributeName='onload' to='alert(1)'/>",
        "<iframe/>",
        "<title><img/></title>",
        "<desc><g/></desc>",
        "<x:g xmlns:x='http://www.w3.org/1999/xhtml'/>",
        "<handler/>",
        "<feImage/>",
    ] {
        let error = refused(&format!("<svg xmlns='http://www.w3.org/2000/svg'>\n{inner}</svg>"));
        assert!(matches!(error, SvgError::Element { line: 2, .. }), "{inner}: {error:?}");
    }
}

#[test]
fn an_element_cannot_hide_behind_a_prefix() {
    let svg = "<s:svg xmlns:s='http://www.w3.org/2000/svg'><s:script/></s:svg>";
    assert_eq!(refused(svg), SvgError::Element { name: "script".to_string(), line: 1 });
    let plain = "<s:svg xmlns:s='http://www.w3.org/2000/svg'><s:g/></s:svg>";
    assert_eq!(inline_svg(plain, "").unwrap(), "<svg><g/></svg>");
}

#[test]
fn attributes_that_run_are_refused() {
    for attribute in ["onload", "onclick", "ONLOAD", "OnMouseOver", "style", "src", "xml:base", "formaction"] {
        let error = refused(&format!("<svg>\n\n<g {attribute}='alert(1)'/></svg>"));
        let name = attribute.trim_start_matches("xml:").to_string();
        assert_eq!(error, SvgError::Attribute { name, line: 3 });
    }
    let error = refused("<svg xmlns:e='http://www.w3.org/2001/xml-events' e:event='load'/>");
    assert!(matches!(error, SvgError::Attribute { .. }), "{error:?}");
}

#[test]
fn addresses_outside_the_figure_are_refused() {
    for attributes in [
        "href='javascript:alert(1)'",
        "href=' java&#10;script:alert(1)'",
        "href='https://example.org/a.svg#b'",
        "href='a.svg#b'",
        "href=''",
        "href='#'",
        "href='#a b'",
        "xmlns:l='http://www.w3.org/1999/xlink' l:href='//example.org'",
        "fill='url(https://example.org/a.svg#b)'",
        "fill='URL(a.svg#b)'",
        "fill='url(\"a.svg\")'",
        "fill='url( #a)'",
        "fill='url(#a) url(b.svg)'",
        "fill='u\\72l(b.svg)'",
        "fill='url(#a'",
        "mask='image-set(a.png)'",
        "stroke='src(a)'",
    ] {
        let error = refused(&format!("<svg><use {attributes}/></svg>"));
        assert!(matches!(error, SvgError::Address { line: 1, .. }), "{attributes}: {error:?}");
    }
}

#[test]
fn images_are_inside_and_png() {
    let figure = |href: &str| format!("<svg><image href='{href}'/></svg>");
    let png = "data:image/png;base64,iVBORw0KGgo=";
    assert!(inline_svg(&figure(png), "").unwrap().contains(png));
    for href in ["a.png", "data:image/svg+xml;base64,AA==", "data:text/html,x", "data:image/png;base64,&quot;", "#a"] {
        assert!(matches!(refused(&figure(href)), SvgError::Address { .. }), "{href}");
    }
}

#[test]
fn ids_and_references_get_the_prefix() {
    let svg = "<svg xmlns:xlink='http://www.w3.org/1999/xlink' aria-labelledby='t d'><title id='t'>T</title><desc id='d'/>\
               <g id='a' fill='url(#b) none' clip-path='url(#c.1)'/><use href='#a'/><use xlink:href=' #a '/></svg>";
    let markup = inline_svg(svg, "f2-").unwrap();
    assert_eq!(
        markup,
        "<svg aria-labelledby=\"f2-t f2-d\"><title id=\"f2-t\">T</title><desc id=\"f2-d\"/>\
         <g id=\"f2-a\" fill=\"url(#f2-b) none\" clip-path=\"url(#f2-c.1)\"/><use href=\"#f2-a\"/><use href=\"#f2-a\"/></svg>"
    );
}

#[test]
fn a_missing_view_box_is_made_from_the_size() {
    let view_box = |svg: &str| inline_svg(svg, "").unwrap().contains("viewBox=\"0 0 640 48.5\"");
    assert!(view_box("<svg width='640' height='48.5px'/>"));
    assert!(!view_box("<svg width='100%' height='48.5'/>"));
    assert!(!view_box("<svg width='640' height='48.5' viewBox='0 0 1 1'/>"));
    assert!(!view_box("<svg><svg width='640' height='48.5'/></svg>"));
}

#[test]
fn what_is_no_figure_is_refused() {
    assert!(matches!(refused(""), SvgError::NotXml { .. }));
    assert!(matches!(refused("<svg><g></svg>"), SvgError::NotXml { .. }));
    assert!(matches!(refused("<!DOCTYPE svg [<!ENTITY a 'b'>]><svg>&a;</svg>"), SvgError::NotXml { .. }));
    assert_eq!(refused("<html/>"), SvgError::NotSvg { name: "html".to_string() });
}

#[test]
fn depth_is_bounded() {
    let nested = |depth: usize| format!("<svg>{}{}</svg>", "<g>".repeat(depth), "</g>".repeat(depth));
    assert!(inline_svg(&nested(DEEPEST - 1), "").is_ok());
    assert_eq!(refused(&nested(DEEPEST)), SvgError::TooDeep);
    assert_eq!(refused(&nested(200_000)), SvgError::TooDeep);
}

#[test]
fn figures_of_this_project_come_through() {
    let names = vec!["<script>alert(1)</script>".to_string(), "\"><img src=x onerror=alert(1)>".to_string()];
    let map = crate::HeatMap::new("Distances", names, vec![0.0, 0.3, 0.3, 0.0]).unwrap().clustered();
    let markup = inline_svg(&map.to_svg(), "f1-").unwrap();
    assert!(!markup.contains("<script") && !markup.contains("<img"), "{markup}");
    assert!(markup.contains("&lt;script&gt;"), "{markup}");
}

proptest! {
    /// Whatever text is put into a figure, the page gets elements of the figure only, and the text again.
    #[test]
    fn text_stays_text(text in "[ -~\u{e4}\u{2028}]{1,40}") {
        let mut escaped = String::new();
        escape_into(&mut escaped, &text);
        let markup = inline_svg(&format!("<svg data-note=\"{escaped}\"><title>{escaped}</title></svg>"), "p-").unwrap();
        let again = Document::parse(&markup).unwrap();
        prop_assert_eq!(again.root_element().attribute("data-note"), Some(text.as_str()));
        prop_assert_eq!(again.root_element().first_element_child().unwrap().text().unwrap_or_default(), text);
        prop_assert_eq!(markup.matches('<').count(), 4);
    }

    /// Noise never panics, and what comes through is let in again unchanged.
    #[test]
    fn noise_is_refused_or_stable(noise in "(<|>|/|svg|g |use|href=|'|#|url\\(|\\)|fill=|id=|[ -~]){0,12}") {
        for svg in [noise.clone(), format!("<svg>{noise}</svg>"), format!("<svg {noise}/>")] {
            if let Ok(markup) = inline_svg(&svg, "") {
                prop_assert_eq!(inline_svg(&markup, ""), Ok(markup));
            }
        }
    }
}
