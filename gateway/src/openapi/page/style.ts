/** The page's only style sheet; its hash stands in the page's Content-Security-Policy. */
export const style = `
:root{color-scheme:light dark;--back:#fbfbfa;--front:#1d2125;--soft:#5b636b;--line:#dcdfe2;--panel:#f2f3f3;--accent:#0b6a7c;
--get:#1b6e3c;--post:#8a4b00;--put:#5b3fa0;--patch:#5b3fa0;--delete:#a3262a;--mono:ui-monospace,"SF Mono","Cascadia Mono",Menlo,Consolas,monospace}
@media (prefers-color-scheme:dark){:root{--back:#14181b;--front:#e4e7ea;--soft:#9aa4ad;--line:#2d343a;--panel:#1c2226;--accent:#5cc3d8;
--get:#6bcf92;--post:#f0b061;--put:#b9a0f5;--patch:#b9a0f5;--delete:#f08a8d}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;scroll-padding-top:1rem}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--back);color:var(--front);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;background:var(--panel);padding:.5rem 1rem}
.page{display:grid;grid-template-columns:17rem minmax(0,1fr);max-width:82rem;margin:0 auto}
nav{position:sticky;top:0;align-self:start;max-height:100vh;overflow:auto;padding:2rem 1.25rem;border-right:1px solid var(--line);font-size:.9rem}
nav h2{font-size:.78rem;letter-spacing:.06em;text-transform:uppercase;color:var(--soft);margin:1.4rem 0 .3rem}
nav h2{border:0;padding:0}nav ul{list-style:none;margin:0;padding:0}nav li{margin:.15rem 0}
main{padding:2rem 2.5rem 6rem;min-width:0}
main>section,article{max-width:54rem}
h1{font-size:2rem;line-height:1.2;margin:0 0 .25rem}h2{font-size:1.45rem;line-height:1.3;margin:3.5rem 0 .5rem;padding-top:1rem;border-top:1px solid var(--line)}
h3{font-size:1.15rem;margin:2rem 0 .4rem}h4{font-size:1rem;margin:1.6rem 0 .4rem}h5{font-size:1rem;margin:1.2rem 0 .2rem;font-weight:600}
p,ul{margin:.5rem 0}li>p{margin:.15rem 0}
a{color:var(--accent);text-decoration-thickness:.06em;text-underline-offset:.18em}a.anchor{color:inherit;text-decoration:none}a.anchor:hover{text-decoration:underline}
a:focus-visible,summary:focus-visible,pre:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
code,pre{font-family:var(--mono);font-size:.875em}code{overflow-wrap:anywhere}
pre{background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:.8rem 1rem;overflow:auto;line-height:1.45;font-size:.84rem}pre code{font-size:1em;overflow-wrap:normal}
article{margin:2rem 0 3.5rem}
.lead,.soft,.headers,.media,.type,.bound{color:var(--soft)}.lead{font-size:1.1rem;margin-top:0}
.type,.bound,.headers,.media,.key{font-size:.9rem}.bound::before{content:"· "}
.required{font-size:.75rem;color:var(--delete)}
.route{margin:.2rem 0 .8rem}.method{font-family:var(--mono);font-size:.8rem;font-weight:700;letter-spacing:.03em}
.method.get{color:var(--get)}.method.post{color:var(--post)}.method.put{color:var(--put)}.method.patch{color:var(--patch)}.method.delete{color:var(--delete)}
.status{font-family:var(--mono)}.s2,.s3{color:var(--get)}.s4{color:var(--post)}.s5{color:var(--delete)}
.members{list-style:none;padding-left:1rem;border-left:2px solid var(--line)}.members>li{margin:.55rem 0}.name{font-weight:600}
td .name{white-space:nowrap}.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.92rem}th{text-align:left;font-weight:600;color:var(--soft);font-size:.82rem}
th,td{padding:.45rem .8rem .45rem 0;border-bottom:1px solid var(--line);vertical-align:top}td p{margin:0}td.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
summary{cursor:pointer;color:var(--accent);font-size:.92rem}details{margin:.4rem 0}details.errors{margin-top:1rem;border-top:1px solid var(--line);padding-top:.6rem}
@media (max-width:56rem){.page{display:block}nav{position:static;max-height:none;border-right:0;border-bottom:1px solid var(--line)}main{padding:1.5rem 1.25rem 4rem}}
@media print{nav,.skip{display:none}.page{display:block}pre{white-space:pre-wrap}}
`;
