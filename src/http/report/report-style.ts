/** The style of a report. It is the same on screen and on paper, A4 and Letter. */
export const reportStyle = `:root{color-scheme:light;--ink:#1d2120;--soft:#535b58;--line:#d2d4ce;--accent:#0a675f;--b:#8b3f8f;--warn:#7f5300;--bad:#a4331d}
*{box-sizing:border-box}
@page{margin:16mm 14mm 18mm;@bottom-left{content:'Fieldstone';font:8pt system-ui,sans-serif;color:#535b58}@bottom-right{content:'Page ' counter(page) ' of ' counter(pages);font:8pt system-ui,sans-serif;color:#535b58}}
body{margin:0 auto;max-width:52rem;padding:1.5rem;background:#fff;color:var(--ink);font:10pt/1.4 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
h1,h2,h3,p,ul,dl,dd,figure{margin:0}
h1{font-size:18pt;line-height:1.15;letter-spacing:-.01em}
h2{font-size:13pt;margin-top:1.6em;break-after:avoid}
h3{font-size:10.5pt;margin-top:1.1em;break-after:avoid}
.soft{color:var(--soft)}
.small{font-size:8.5pt}
header p{margin-top:.25em}
.maps{display:flex;gap:1rem;margin-top:1rem}
figure{flex:1;min-width:0;break-inside:avoid}
figure svg{display:block;width:100%;height:auto;border:1px solid var(--line)}
figcaption{font-size:8pt;color:var(--soft);margin-top:.25em}
.key{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:.6rem 1.2rem;margin-top:.6rem}
.key div{border-top:2px solid var(--accent);padding-top:.3rem;break-inside:avoid}
.key dt{font-size:8.5pt;color:var(--soft)}
.key dd{font-size:12pt;font-weight:600}
table{width:100%;table-layout:fixed;border-collapse:collapse;margin-top:.4rem;font-size:9pt}
thead{display:table-header-group}
th,td{text-align:left;vertical-align:top;padding:.28rem .5rem .28rem 0;border-bottom:1px solid var(--line)}
th{font-weight:600}
thead th{font-size:8pt;color:var(--soft);font-weight:500}
tr{break-inside:avoid}
tbody th{font-weight:400}
thead th:first-child{width:30%}
thead th:last-child{width:26%}
thead th:nth-child(3):last-child{width:40%}
td.value{font-weight:600}
td.value small,dd small{display:block;font-weight:400;font-size:8pt;color:var(--soft)}
td.none{font-weight:400;color:var(--soft)}
td.source{font-size:8pt;color:var(--soft)}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.charts{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:.4rem 1.5rem}
.chart{position:relative}
.chart svg{border:0;overflow:visible;margin-top:.5rem}
.chart text{font-size:10px;stroke:none;fill:var(--ink)}
.chart .middle{text-anchor:middle}
.chart .end{text-anchor:end}
.chart .line{fill:none;stroke:#0a675f;stroke-width:1.5}
.chart .axis{fill:none;stroke:#868d88}
.chart .bar,.chart .class-0{fill:#0a675f}
.chart .class-1{fill:#8b3f8f}
.chart .class-2{fill:#b07a12}
.chart .class-3{fill:#a4331d}
.chart .class-4{fill:#868d88}
.chart .class-5{fill:#6f97a3}
ul{padding-left:1.1rem;font-size:9pt}
li{margin-top:.2em;break-inside:avoid}
code{font:8.5pt ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace}
pre{margin:.3rem 0;padding:.5rem .7rem;border:1px solid var(--line);white-space:pre-wrap;break-inside:avoid}
a{color:var(--accent)}
svg text{font:9px system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;fill:#4a524f;paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}
svg path{fill:none;stroke-linejoin:round;stroke-linecap:round}
svg .paper{fill:#fbfbf9}
svg .county{stroke:#bcc1bb;stroke-width:1}
svg .coast{stroke:#6f97a3;stroke-width:1.2}
svg .water{fill:#d5e4e8;stroke:#a9c3ca;stroke-width:.5}
svg .river{stroke:#a9c3ca;stroke-width:1}
svg .road{stroke:#cfc8b8;stroke-width:1.4}
svg .town{fill:#4a524f}
svg .area{fill:#0a675f;fill-opacity:.12;stroke:#0a675f;stroke-width:1.5}
svg .part-0{fill:#0a675f;stroke:#0a675f}
svg .part-1{fill:#8b3f8f;stroke:#8b3f8f}
svg .part-2{fill:#b07a12;stroke:#b07a12}
svg .part-3{fill:#a4331d;stroke:#a4331d}
svg .part-4{fill:#868d88;stroke:#868d88}
svg .part-5{fill:#6f97a3;stroke:#6f97a3}
svg .part-step-0{fill:#e3b23c;stroke:#e3b23c}
svg .part-step-1{fill:#93b44a;stroke:#93b44a}
svg .part-step-2{fill:#3f9d78;stroke:#3f9d78}
svg .part-step-3{fill:#1f7389;stroke:#1f7389}
svg .part-step-4{fill:#2c4272;stroke:#2c4272}
svg [class^=part-]{fill-opacity:.4;stroke-width:2}
.swatch{white-space:nowrap;margin-right:.8em}
.swatch svg{display:inline-block;width:.8em;height:.8em;margin-right:.3em;border:0}
.share{display:block;width:100%;height:4px;margin-top:3px}
.share .rest{fill:#ebebe7}
.share .bar{fill:#0a675f}
.share .absent{fill:#8a8f8d}
svg .feature{stroke:#8b3f8f;stroke-width:2}
svg .point{fill:#8b3f8f;stroke:#fff}
svg .line{stroke:#0a675f;stroke-width:1.5;stroke-dasharray:4 3}
svg .place{fill:#0a675f;stroke:#fff;stroke-width:2}
svg .letter{fill:#fff;stroke:none;font-weight:700;text-anchor:middle}
svg .scale{stroke:#1d2120;stroke-width:1.5}
@media (forced-colors:active){.chart text{fill:CanvasText}.chart .axis{stroke:CanvasText}}
@media print{body{padding:0 1px;max-width:none}.no-print{display:none}a{color:inherit;text-decoration:none}}
@media (max-width:40rem){.maps{flex-direction:column}.maps figure:only-child text{font-size:12px}.charts{grid-template-columns:minmax(0,1fr)}.key{grid-template-columns:repeat(2,minmax(0,1fr));column-gap:.8rem}.key dd{font-size:10pt}.table{overflow-x:auto}}`
