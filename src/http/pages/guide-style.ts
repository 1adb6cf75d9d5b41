import { pageColors } from './page-style.ts'

/** The style of the guide: three columns, one on narrow screens, and only the text on paper. */
export const guideStyle = `${pageColors}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--ground);color:var(--ink);font:1rem/1.6 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',sans-serif;overflow-wrap:break-word}
a{color:var(--accent);text-underline-offset:.15em;text-decoration-thickness:1px}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.skip{position:absolute;left:-100rem}
.skip:focus{left:1rem;top:.5rem;padding:.25rem .75rem;background:var(--surface);z-index:1}
.head{min-height:3rem;padding:.375rem 1rem;border-bottom:1px solid var(--line);background:var(--surface);display:flex;flex-wrap:wrap;align-items:center;gap:.25rem 1.25rem}
.head a{color:var(--soft);text-decoration:none}
.head a:hover{color:var(--accent)}
.head .home{display:inline-flex;align-items:center;gap:8px;color:var(--ink);font-weight:650;letter-spacing:-.01em}
.brand{fill:var(--accent)}
.head form{margin-left:auto;display:flex;gap:.5rem}
input,button{min-height:2.25rem;padding:0 .625rem;font:inherit;color:inherit;background:var(--surface);border:1px solid var(--edge);border-radius:6px}
input{width:14rem;max-width:50vw}
button{cursor:pointer}
button:hover{border-color:var(--accent);background:var(--wash)}
.columns{display:grid;grid-template:'pages main here' auto/15rem minmax(0,48rem) 13rem;justify-content:center;gap:2rem;padding:1.5rem 1rem 4rem}
.pages{grid-area:pages}main{grid-area:main;min-width:0}.here{grid-area:here}
.pages,.here{font-size:.875rem}
.pages h2,.here h2{margin:0 0 .25rem;font-size:.75rem;color:var(--soft);font-weight:650}
.pages ul,.here ul{margin:0 0 1rem;padding:0;list-style:none}
.pages a,.here a{display:block;padding:.1875rem .625rem;border-radius:6px;color:var(--ink);text-decoration:none}
.pages a:hover,.here a:hover{background:var(--wash)}
.pages [aria-current]{background:var(--wash);color:var(--strong);font-weight:600}
.here .sub{padding-left:1.375rem}
@media (min-width:75.01rem){.pages,.here{position:sticky;top:1.5rem;align-self:start;max-height:calc(100vh - 3rem);overflow:auto}}
@media (max-width:75rem){.columns{grid-template:'pages main' auto/13rem minmax(0,48rem)}.here{display:none}}
@media (max-width:48rem){.columns{grid-template:'main' auto 'pages' auto/minmax(0,1fr)}.pages{border-top:1px solid var(--line);padding-top:1.5rem}.head form{margin-left:0}}
h1{margin:0 0 1rem;font-size:1.875rem;line-height:1.2;letter-spacing:-.02em;text-wrap:balance}
main h2{margin:2.25rem 0 .75rem;font-size:1.3125rem;line-height:1.3;letter-spacing:-.01em}
main h3{margin:1.75rem 0 .5rem;font-size:1.0625rem}
main p,main ul,main ol{margin:0 0 1rem}
main li{margin:.25rem 0}
.anchor{color:var(--soft);text-decoration:none;opacity:0}
:is(h2,h3):hover .anchor,.anchor:focus{opacity:1}
code{font:.875em/1.5 ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace;background:var(--sunken);padding:.1em .3em;border-radius:4px}
pre{margin:0 0 1rem;padding:.875rem 1rem;background:var(--sunken);border:1px solid var(--line);border-radius:8px;overflow:auto}
pre code{background:none;padding:0}
.table{margin:0 0 1rem;overflow:auto}
table{border-collapse:collapse;font-size:.9375rem}
th,td{padding:.4375rem .75rem .4375rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
th{color:var(--soft);font-size:.8125rem;font-weight:600}
td code{white-space:nowrap}
.soft{color:var(--soft);font-size:.9375rem}
.results{padding:0;list-style:none}
.results li{margin:0 0 1.25rem}
.results p{margin:0}
mark{background:var(--wash);color:var(--strong);font-weight:600}
.foot{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;margin-top:3rem;padding-top:1rem;border-top:1px solid var(--line);font-size:.9375rem}
.foot :last-child{margin-left:auto}
@media print{:root{color-scheme:light}body{background:#fff;color:#000;font-size:10pt}.head,.pages,.here,.foot,.anchor,.skip{display:none}.columns{display:block;padding:0}pre,code{background:none;white-space:pre-wrap}.table{overflow:visible}h2,h3{break-after:avoid}pre,tr{break-inside:avoid}main a{color:inherit}}`
