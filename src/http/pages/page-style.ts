/** The colors of the server-rendered pages, light and dark, with the values of src/web/style/tokens.css. */
export const pageColors = `:root{color-scheme:light dark;--ground:#f3f3f0;--surface:#fff;--sunken:#ebebe7;--ink:#1d2120;--soft:#535b58;--line:#dadbd5;--edge:#868d88;--accent:#0a675f;--strong:#07534c;--wash:#dfeeeb;--on:#fff;--bad:#a4331d;--warn:#7f5300}
@media (prefers-color-scheme:dark){:root{--ground:#131615;--surface:#1a1e1d;--sunken:#101312;--ink:#e7eae8;--soft:#a5aeaa;--line:#303634;--edge:#78827d;--accent:#63c7ba;--strong:#86d8cd;--wash:#18332f;--on:#06211e;--bad:#f0937c;--warn:#e0b45c}}`

/** The style of the small server-rendered pages. */
export const pageStyle = `${pageColors}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:.9375rem/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.head{height:3rem;padding:0 1rem;border-bottom:1px solid var(--line);background:var(--surface);display:flex;align-items:center}
.head a{display:inline-flex;align-items:center;gap:8px;color:var(--ink);font-weight:650;letter-spacing:-.01em;text-decoration:none}
.brand{fill:var(--accent)}
main{width:min(28rem,100% - 2rem);margin:clamp(1.25rem,9vh,5rem) auto 3rem;padding:1.75rem;background:var(--surface);border:1px solid var(--line);border-radius:8px;display:grid;gap:1.25rem}
main.wide{width:min(72rem,100% - 2rem)}
@media (max-width:40rem){main{padding:1.25rem}}
h1,p,ul,dl,dd{margin:0}
h1{font-size:1.5rem;line-height:1.2;font-weight:650;letter-spacing:-.015em;text-wrap:balance}
form{display:grid;gap:1rem}
.field{display:grid;gap:.25rem}
label{font-size:.8125rem;font-weight:500}
.soft{color:var(--soft);font-size:.8125rem}
input:not([type=hidden]){width:100%;min-height:2.25rem;padding:5px 10px;font:inherit;color:inherit;background:var(--surface);border:1px solid var(--edge);border-radius:6px}
#user_code{font:600 1.25rem/1.5 ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace;letter-spacing:.12em;text-transform:uppercase}
button{min-height:2.25rem;padding:0 1rem;font:inherit;font-weight:500;color:var(--ink);background:var(--surface);border:1px solid var(--edge);border-radius:6px;cursor:pointer}
button:hover{border-color:var(--accent);background:var(--wash)}
button.main{color:var(--on);background:var(--accent);border-color:var(--accent)}
button.main:hover{background:var(--strong);border-color:var(--strong)}
.buttons{display:flex;flex-wrap:wrap;gap:.5rem}
.buttons button{flex:1 0 auto}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
a{color:var(--accent);text-underline-offset:.15em;text-decoration-thickness:1px}
ul{padding:0;list-style:none;border:1px solid var(--line);border-radius:6px}
li{padding:.5rem .75rem .5rem 2rem;position:relative}
li+li{border-top:1px solid var(--line)}
li::before{content:'';position:absolute;left:.8rem;top:.95rem;width:.5rem;height:.3rem;border:solid var(--accent);border-width:0 0 2px 2px;transform:rotate(-45deg)}
.table{overflow-x:auto;border:1px solid var(--line);border-radius:6px}
table{width:100%;border-collapse:collapse;font-size:.8125rem}
th,td{padding:.5rem .75rem;text-align:start;vertical-align:baseline;white-space:nowrap;border-bottom:1px solid var(--line)}
thead th{color:var(--soft);font-weight:500}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.375rem 1.25rem;font-size:.8125rem}
dt{color:var(--soft)}
.code{font:600 1.25rem/1.5 ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace;letter-spacing:.12em;text-align:center;padding:.5rem;background:var(--sunken);border-radius:6px}
.notice,[role=alert]{padding:.75rem 1rem;border:1px solid var(--line);border-left:3px solid var(--warn);border-radius:6px}
[role=alert]{border-left-color:var(--bad)}`

/** The icon of every page, as the address of an image. */
export const faviconHref = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20" fill="#0a675f"><ellipse cx="10" cy="15.6" rx="8.4" ry="3.1"/><ellipse cx="9.2" cy="9.4" rx="5.7" ry="2.7"/><ellipse cx="10.8" cy="4.2" rx="3.3" ry="2.1"/></svg>',
)}`

export const brandSvg =
  '<svg class="brand" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false"><ellipse cx="10" cy="15.6" rx="8.4" ry="3.1"/><ellipse cx="9.2" cy="9.4" rx="5.7" ry="2.7"/><ellipse cx="10.8" cy="4.2" rx="3.3" ry="2.1"/></svg>'
