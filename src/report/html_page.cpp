#include "report/html_page.h"

#include "report/svg.h"

#include <fmt/format.h>

namespace spillway {

namespace {

using Use = PageColour::Use;

// Blue, amber, green and purple differ in lightness too, so that they are told apart without colour vision; lines
// differ by their dashes beside.
const std::vector<PageColour> kColours = {
    {"paper", "#fbfbfa", "#14171a", Use::ground}, {"card", "#ffffff", "#1c2126", Use::ground},
    {"ink", "#1c2024", "#e6e8ea", Use::text},     {"soft", "#545c65", "#a6b0ba", Use::text},
    {"good", "#0b6e4f", "#57c79b", Use::text},    {"bad", "#b3261e", "#ff8a80", Use::text},
    {"warn", "#8a5300", "#f0b354", Use::text},    {"own", "#1f5fbf", "#79b0ff", Use::text},
    {"uniform", "#616a73", "#9aa5b0", Use::text}, {"other1", "#0f7a5a", "#5fcfa5", Use::text},
    {"other2", "#8440a8", "#d09bee", Use::text},  {"other3", "#9a5700", "#eeb868", Use::text},
    {"other4", "#a3195b", "#ff9ac1", Use::text},  {"other5", "#0a6f85", "#63c7dd", Use::text},
    {"target", "#b3261e", "#ff8a80", Use::text},  {"bar", "#5b86c4", "#6f9bd8", Use::mark},
    {"grid", "#e3e6e8", "#2c333a", Use::faint},   {"edge", "#c9ced3", "#3d4650", Use::faint},
};

std::string variables(std::string_view PageColour::*scheme) {
    std::string css = ":root{";
    for (const PageColour& colour : kColours) css += fmt::format("--{}:{};", colour.name, colour.*scheme);
    return css + "}\n";
}

constexpr std::string_view kStyle = R"(*{box-sizing:border-box}
html{color-scheme:light dark;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif}
main{max-width:56rem;margin:0 auto;padding:2rem 1.25rem 3rem}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .35rem;text-wrap:balance;overflow-wrap:anywhere}
h2{font-size:1.15rem;margin:2.5rem 0 .6rem;padding-top:.9rem;border-top:1px solid var(--edge)}
p{margin:.4rem 0;overflow-wrap:anywhere}
.soft,footer,figcaption,caption{color:var(--soft)}
.verdict{margin:1.4rem 0 1rem;padding:.7rem 1rem;border-left:5px solid var(--soft);background:var(--card);font-weight:600}
.verdict.good{border-color:var(--good)}.verdict.bad{border-color:var(--bad)}.verdict.warning{border-color:var(--warn)}
.cards:empty{display:none}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(12.5rem,1fr));gap:.8rem}
.card{background:var(--card);border:1px solid var(--edge);border-radius:8px;padding:.8rem 1rem}
.card h3{margin:0;font-size:.9rem;font-weight:600;color:var(--soft)}
.card p{margin:.15rem 0;font-size:.9rem}
.card .figure{font-size:1.75rem;font-weight:650;line-height:1.3;font-variant-numeric:tabular-nums}
.figure small{font-size:1rem;font-weight:400;color:var(--soft)}
p.good,dd.good,tr.good td:first-child{color:var(--good)}p.bad,dd.bad,tr.bad td:first-child{color:var(--bad)}p.warning,dd.warning,tr.warning td:first-child{color:var(--warn)}
h2::first-letter{text-transform:uppercase}
dl.facts{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem;margin:.6rem 0}dl.facts dt{color:var(--soft)}dl.facts dd{margin:0;overflow-wrap:anywhere}
pre{overflow-x:auto;font:.8rem/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
figure{margin:1rem 0}figcaption{font-size:.9rem;margin-top:.4rem}
svg{display:block;width:100%;height:auto;overflow:visible}
.narrow{display:none}
svg text{fill:var(--ink);font-size:13px;font-variant-numeric:tabular-nums}
svg .tick,svg .name{fill:var(--soft)}
svg .label,svg .bar-label{pointer-events:none}
svg .label,svg .bar-label{paint-order:stroke;stroke:var(--paper);stroke-width:4px;stroke-linejoin:round}
svg .strong{font-weight:600}
svg path{fill:none}
.grid{stroke:var(--grid)}.axis{stroke:var(--soft)}
.line{stroke-width:2.2;stroke-linejoin:round}
.line.own{stroke:var(--own);stroke-width:3}.line.uniform{stroke:var(--uniform);stroke-dasharray:7 4}
.line.other1{stroke:var(--other1)}.line.other2{stroke:var(--other2);stroke-dasharray:2 3}.line.other3{stroke:var(--other3);stroke-dasharray:10 3 2 3}
.line.other4{stroke:var(--other4);stroke-dasharray:12 4}.line.other5{stroke:var(--other5);stroke-dasharray:5 2 1 2}
svg text.own{fill:var(--own)}svg text.uniform{fill:var(--uniform)}svg text.other1{fill:var(--other1)}svg text.other2{fill:var(--other2)}svg text.other3{fill:var(--other3)}svg text.other4{fill:var(--other4)}svg text.other5{fill:var(--other5)}
.target{stroke:var(--target);stroke-width:1.6;stroke-dasharray:5 4}svg text.target-label{fill:var(--target)}
svg text.target-label,svg text.own,svg text.uniform,svg text.other1,svg text.other2,svg text.other3,svg text.other4,svg text.other5{stroke-dasharray:none;stroke-width:4px}
.target-back{stroke:var(--paper);stroke-width:3.6}
.drop{stroke-width:1.4;stroke-dasharray:2 3}.drop.need{stroke:var(--target)}
.marker{stroke:var(--paper);stroke-width:2}.marker.case{fill:var(--ink)}.marker.need{fill:var(--paper);stroke:var(--target);stroke-width:2.5}
.hover{fill:var(--ink);fill-opacity:0}.hover:hover{fill-opacity:.07}
.diagonal{stroke:var(--ink);stroke-width:1.4}.diagonal.off{stroke:var(--soft);stroke-dasharray:5 4}
.point{fill-opacity:.55}.point:hover{fill-opacity:1;stroke:var(--ink)}.point.own{fill:var(--own)}.point.other1{fill:var(--other1)}.point.other2{fill:var(--other2)}.point.other3{fill:var(--other3)}
.bar{fill:var(--bar)}.bar.meets{fill:var(--good)}.bar.misses{fill:var(--bad)}.bar.sum{fill:var(--soft)}
.bar.hidden{fill:none;stroke:var(--bar);stroke-dasharray:3 2}.bar.unknown{fill:none;stroke:var(--warn);stroke-dasharray:3 2}
svg text.unknown-label{fill:var(--warn)}.cut{stroke:var(--paper);stroke-width:2.5}
.legend{list-style:none;margin:.6rem 0 0;padding:0;font-size:.9rem;display:grid;gap:.25rem}
.legend li{display:flex;gap:.6rem;align-items:baseline}.legend span{overflow-wrap:anywhere;min-width:0}
.legend svg{flex:none;width:34px;height:10px}
.scroll{overflow-x:auto}
td svg.share{width:9rem;height:.7rem;display:inline-block}
table{border-collapse:collapse;min-width:min(100%,32rem);font-size:.9rem;font-variant-numeric:tabular-nums;margin:.6rem 0}
caption{text-align:left;padding:0 0 .3rem;font-weight:600}
th,td{text-align:left;padding:.32rem 1.1rem .32rem 0;border-bottom:1px solid var(--grid);vertical-align:top;overflow-wrap:break-word}
th:last-child,td:last-child{padding-right:0}
thead th{color:var(--soft);font-weight:600;border-color:var(--edge)}
th.n,td.n{text-align:right}td.n{white-space:nowrap}td.long{min-width:min(20rem,80vw)}
tr.sum td{font-weight:600;border-top:1px solid var(--edge)}
ul.notes{padding-left:1.2rem;margin:.5rem 0}ul.notes li{margin:.3rem 0;overflow-wrap:anywhere}
code{font:.9em ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
footer{margin-top:2.5rem;padding-top:.8rem;border-top:1px solid var(--edge);font-size:.85rem}
@media screen and (max-width:600px){
main{padding:1.2rem .9rem 2rem}h1{font-size:1.3rem}.wide{display:none}.narrow{display:block}.cards{grid-template-columns:1fr}table{min-width:100%}th,td{padding-right:.6rem}
}
@media print{
:root{--paper:#fff}html{font-size:12.5px}body{font-size:1rem}main{max-width:none;padding:0}h2{margin-top:1.4rem;padding-top:.6rem}
h2,caption,thead{break-after:avoid}figure,tr,.card,.verdict{break-inside:avoid}figure{max-width:150mm}.legend{grid-template-columns:1fr 1fr}.scroll{overflow:visible}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
}
@page{margin:16mm 14mm}
)";

} // namespace

const std::vector<PageColour>& page_colours() { return kColours; }

std::string html_page(std::string_view title, const std::string& body) {
    return fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                       "<title>{}</title>\n<style>\n{}@media screen and (prefers-color-scheme:dark){{\n{}}}\n{}"
                       "</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n</html>\n",
                       markup(title), variables(&PageColour::light), variables(&PageColour::dark), kStyle, body);
}

} // namespace spillway
