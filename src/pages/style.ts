// The style sheets of the payer's pages: one for all, and one with a template's colours. Each is allowed by its hash.
import { DEFAULT_TEMPLATE, type PageTemplate } from '../gateway/templates/index.ts';

export const BASE_STYLE = `*{box-sizing:border-box}
:root{--soft:color-mix(in srgb,var(--ink) 68%,var(--paper));--line:color-mix(in srgb,var(--ink) 22%,var(--paper));--edge:color-mix(in srgb,var(--ink) 52%,var(--paper));--bad:#b3261e;--note:#fff4d6;--noteink:#4a3800}
html{-webkit-text-size-adjust:100%}
body{margin:0;min-height:100vh;min-height:100dvh;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
main{max-width:28rem;margin:0 auto;padding:1rem}
.card{background:var(--paper);border:1px solid var(--line);border-radius:var(--radius);padding:1.25rem;margin-top:1rem}
.logo{display:block;max-width:11rem;max-height:3rem;margin-bottom:.75rem}
h1{font-size:1.05rem;line-height:1.3;margin:0;font-weight:600;overflow-wrap:anywhere}h2{font-size:.95rem;margin:0 0 .25rem;font-weight:600}
.amount{font-size:2.1rem;line-height:1.2;font-weight:700;margin:.3rem 0;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.soft{color:var(--soft);margin:0;overflow-wrap:anywhere}.small{font-size:.85rem}
label,.label{display:block;font-size:.9rem;margin-top:.9rem}
input{width:100%;font:inherit;padding:.75rem .8rem;min-height:3rem;margin-top:.25rem;border:1px solid var(--edge);border-radius:calc(var(--radius)*.65);background:var(--paper);color:inherit}
input::placeholder{color:var(--soft);opacity:1}
input[aria-invalid=true]{border-color:var(--bad);box-shadow:inset 0 0 0 1px var(--bad)}
input:focus-visible,button:focus-visible,a:focus-visible,summary:focus-visible{outline:3px solid var(--brand);outline-offset:2px}
.row{display:flex;gap:.6rem;align-items:flex-end}.row>div{flex:1;min-width:0}
.brand{float:right;font-weight:600;color:var(--soft)}
.chip{display:inline-block;margin:0 0 .6rem;padding:.1rem .6rem;border-radius:99px;background:var(--note);color:var(--noteink);font-size:.8rem;font-weight:600}
button,.button{display:block;width:100%;min-height:3.1rem;text-align:center;font:inherit;font-weight:600;padding:.8rem;border:1px solid transparent;border-radius:calc(var(--radius)*.7);background:var(--brand);color:var(--onbrand);margin-top:1.2rem;cursor:pointer;text-decoration:none}
button[disabled]{opacity:.65;cursor:default}
button.plain,.button.plain{background:none;color:var(--ink);font-weight:400;margin-top:.5rem;text-decoration:underline;text-underline-offset:3px}
.wallet:first-child button{margin-top:0}.wallet button{background:#000;color:#fff;border-color:#000;margin-top:.7rem}
.or{display:flex;align-items:center;gap:.8rem;color:var(--soft);font-size:.85rem;margin:1.1rem 0 0}.or::before,.or::after{content:"";flex:1;border-top:1px solid var(--line)}
.bad{color:var(--bad);font-size:.85rem;margin:.3rem 0 0}.hint{color:var(--soft);font-size:.8rem;margin:.3rem 0 0}
[hidden]{display:none!important}
.problem{border:1px solid var(--bad);border-radius:calc(var(--radius)*.65);padding:.7rem .9rem;margin:1rem 0 0;background:var(--paper)}.problem p{margin:0}
.note{border-radius:calc(var(--radius)*.65);padding:.7rem .9rem;background:var(--note);color:var(--noteink);font-size:.88rem;margin-top:1rem}.note ul{margin:.4rem 0 0;padding:0;list-style:none}.note li{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 1rem}
.time{font-variant-numeric:tabular-nums;text-align:center;margin:1rem 0 0}
dl{display:grid;grid-template-columns:auto 1fr;gap:.35rem 1rem;margin:1rem 0 0}dt{color:var(--soft)}dd{margin:0;text-align:right;overflow-wrap:anywhere}dd.whole{white-space:nowrap;font-size:.92rem;font-variant-numeric:tabular-nums}
code{font-family:ui-monospace,SFMono-Regular,Consolas,monospace;font-size:.95em;white-space:nowrap}
.mobile main{max-width:none;padding:0}.mobile .card{border-left:0;border-right:0;border-radius:0;margin-top:.5rem}
@media(min-width:56rem){body:not(.mobile) main.wide{max-width:56rem;display:grid;grid-template:"what how" auto "test how" 1fr/1fr 1.15fr;gap:0 1.5rem;align-items:start;padding:4vh 1rem}.what{grid-area:what}.how{grid-area:how}.test{grid-area:test}}
@media(prefers-reduced-motion:no-preference){button{transition:filter .15s}button:hover{filter:brightness(1.06)}}
@media print{body{background:#fff}.card{border:0}button,.button,.note{display:none!important}}`;

/** Black or white, whichever can be read on it better (WCAG 2.2, relative luminance). */
export function inkOn(colour: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return luminance > 0.179 ? '#000' : '#fff';
}

const colours = ({ brand, ground, paper, ink }: Pick<PageTemplate, 'brand' | 'ground' | 'paper' | 'ink'>): string =>
  `--brand:${brand};--onbrand:${inkOn(brand)};--ground:${ground};--paper:${paper};--ink:${ink}`;

const DARK = { brand: '#2fb596', ground: '#0f151c', paper: '#18212b', ink: '#e9eef4' } as const;

/** The template's colours; those of the default follow the payer's own choice of light and dark. */
export function themeStyle(template: PageTemplate): string {
  const light = `:root{${colours(template)};--radius:${template.radius}px}`;
  const isDefault = (['brand', 'ground', 'paper', 'ink'] as const).every(
    (name) => template[name] === DEFAULT_TEMPLATE[name],
  );
  return isDefault
    ? `${light}:root{color-scheme:light dark}@media(prefers-color-scheme:dark){:root{${colours(DARK)};--bad:#ff9d95;--note:#3a3115;--noteink:#f6e7b8}}`
    : light;
}
