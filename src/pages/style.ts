// The style sheets of the payer's pages: one for all, and one with a template's colours. Each is allowed by its hash.
// Rule: whatever colours a template has, text reaches 4.5:1 on what it stands on: shades are derived by contrast, never taken as they come.
import { contrast, DEFAULT_TEMPLATE, type PageTemplate } from '../gateway/templates/index.ts';

export const BASE_STYLE = `*{box-sizing:border-box}
:root{--note:#fff4d6;--noteink:#4a3800}
html{-webkit-text-size-adjust:100%}
body{margin:0;min-height:100vh;min-height:100dvh;background:var(--ground);color:var(--onground);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
main{max-width:28rem;margin:0 auto;padding:1rem}
.card{background:var(--paper);color:var(--ink);border:1px solid var(--line);border-radius:var(--radius);padding:1.25rem;margin-top:1rem}.card>:last-child{margin-bottom:0}
.logo{display:block;max-width:11rem;max-height:3rem;margin-bottom:.75rem}
h1{font-size:1.05rem;line-height:1.3;margin:0;font-weight:600;overflow-wrap:anywhere}h2{font-size:.95rem;margin:0 0 .25rem;font-weight:600}
.amount{font-size:2.1rem;line-height:1.2;font-weight:700;margin:.3rem 0;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.soft{color:var(--soft);margin:0;overflow-wrap:anywhere}.small{font-size:.85rem}
label,.label{display:block;font-size:.9rem;margin-top:.9rem}
input{width:100%;font:inherit;padding:.75rem .8rem;min-height:3rem;margin-top:.25rem;border:1px solid var(--edge);border-radius:calc(var(--radius)*.65);background:var(--paper);color:inherit}
input::placeholder{color:var(--soft);opacity:1}
input[aria-invalid=true]{border-color:var(--bad);box-shadow:inset 0 0 0 1px var(--bad)}
input:focus-visible,button:focus-visible,a:focus-visible,summary:focus-visible{outline:3px solid var(--ring);outline-offset:2px}
.row{display:flex;gap:.6rem;align-items:flex-end}.row>div{flex:1;min-width:0}.row>div:has(#cvv){flex:1.35}#card>input[type=hidden]+label,#card>input[type=hidden]+div label{margin-top:0}
.brand{float:right;font-weight:600;color:var(--soft)}
.chip{display:inline-block;margin:0 0 .6rem;padding:.1rem .6rem;border-radius:99px;background:var(--note);color:var(--noteink);font-size:.8rem;font-weight:600}
button,.button{display:block;width:100%;min-height:3.1rem;text-align:center;font:inherit;font-weight:600;padding:.8rem;border:1px solid var(--brandedge);border-radius:calc(var(--radius)*.7);background:var(--brand);color:var(--onbrand);margin-top:1.2rem;cursor:pointer;text-decoration:none}
button[disabled]{opacity:.65;cursor:default}
button.plain,.button.plain{background:none;border-color:transparent;color:inherit;font-weight:400;margin-top:.5rem;text-decoration:underline;text-underline-offset:3px}
.wallet:first-child button{margin-top:0}.wallet button{background:#000;color:#fff;border-color:var(--edge);margin-top:.7rem}
.or{display:flex;align-items:center;gap:.8rem;color:var(--soft);font-size:.85rem;margin:1.1rem 0 .9rem}.or::before,.or::after{content:"";flex:1;border-top:1px solid var(--line)}
.bad{color:var(--bad);font-size:.85rem;margin:.3rem 0 0}.hint{color:var(--soft);font-size:.8rem;margin:.3rem 0 0}
[hidden]{display:none!important}
.problem{border:1px solid var(--bad);border-radius:calc(var(--radius)*.65);padding:.7rem .9rem;margin:1rem 0 0;background:var(--paper);color:var(--ink)}.problem p{margin:0}
.note{border-radius:calc(var(--radius)*.65);padding:.7rem .9rem;background:var(--note);color:var(--noteink);font-size:.88rem;margin-top:1rem}.note ul{margin:.4rem 0 0;padding:0;list-style:none}.note li{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 1rem}.note code{margin-left:auto}
.time{color:var(--softonground);font-variant-numeric:tabular-nums;text-align:center;margin:1rem 0 0}
dl{margin:1rem 0 0}dl div{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 1rem;padding:.5rem 0;border-top:1px solid var(--line)}dt{color:var(--soft)}dd{margin:0 0 0 auto;text-align:right;overflow-wrap:anywhere;min-width:0}dd.whole{white-space:nowrap;font-size:.92rem;font-variant-numeric:tabular-nums}
.mark{width:3rem;height:3rem;line-height:2.8rem;margin:0 0 .75rem;border-radius:99px;border:2px solid var(--edge);color:var(--soft);text-align:center;font-size:1.4rem;font-weight:700}.mark.good{background:var(--brand);border-color:var(--brandedge);color:var(--onbrand)}.mark.wrong{border-color:var(--bad);color:var(--bad)}
.mark+div h1{font-size:1.35rem}.mark+div p{margin:.35rem 0 1rem}
code{font-family:ui-monospace,SFMono-Regular,Consolas,monospace;font-size:.95em;white-space:nowrap}
.mobile main{max-width:none;padding:0}.mobile .card{border-left:0;border-right:0;border-radius:0;margin-top:.5rem}
@media(min-width:56rem){body:not(.mobile) main.wide{max-width:56rem;display:grid;grid-template:"what how" auto "test how" 1fr/1fr 1.15fr;gap:0 1.5rem;align-items:start;padding:4vh 1rem}.what{grid-area:what}.how{grid-area:how}.test{grid-area:test}}
@media(prefers-reduced-motion:no-preference){button{transition:filter .15s}button:hover{filter:brightness(1.06)}}
@media print{body{--ink:#000;--paper:#fff;--soft:#333;--line:#999;--bad:#000;background:#fff;color:#000}.card{border:0}.mark.good{background:none;border-color:#000;color:#000}button,.button,.note{display:none!important}}`;

type Colours = Pick<PageTemplate, 'brand' | 'ground' | 'paper' | 'ink'>;

/** WCAG 2.2: 1.4.3, text of normal size; 1.4.11, what shows where a field or the focus is. */
const TEXT = 4.5;
const SHAPE = 3;

/** Black or white, whichever can be read on it better: 4.58:1 at least, on any colour. */
export const inkOn = (colour: string): string =>
  contrast('#000000', colour) >= contrast('#ffffff', colour) ? '#000000' : '#ffffff';

/** `share` of one colour, the rest of the other. */
const mixed = (one: string, other: string, share: number): string =>
  `#${[1, 3, 5]
    .map((at) => {
      const [a = 0, b = 0] = [one, other].map((text) => Number.parseInt(text.slice(at, at + 2), 16));
      return Math.round(a * share + b * (1 - share))
        .toString(16)
        .padStart(2, '0');
    })
    .join('')}`;

/** The ink, thinned as far as `share`, and no further than can be read on the ground that it is thinned with. */
function shade(ink: string, ground: string, share: number, least: number): string {
  for (let part = share; part < 1; part += 0.02) {
    const colour = mixed(ink, ground, part);
    if (contrast(colour, ground) >= least) return colour;
  }
  return ink;
}

/** The first that can be read on all of `grounds`. */
const readable = (grounds: readonly string[], least: number, ...colours: readonly string[]): string | undefined =>
  colours.find((colour) => grounds.every((ground) => contrast(colour, ground) >= least));

const RED = ['#b3261e', '#ff9d95', '#8c1d18', '#ffdad6'];

/** Every colour of a page by its name in the style sheet. */
export function palette({ brand, ground, paper, ink }: Colours): Readonly<Record<string, string>> {
  const inkOnGround = readable([ground], TEXT, ink) ?? inkOn(ground);
  return {
    brand,
    onbrand: inkOn(brand),
    // A button of the paper's own colour gets an edge.
    brandedge: readable([paper], 1.3, brand) ?? shade(ink, paper, 0.52, SHAPE),
    ring: readable([paper, ground], SHAPE, brand, ink) ?? inkOn(paper),
    ground,
    onground: inkOnGround,
    softonground: shade(inkOnGround, ground, 0.72, TEXT),
    paper,
    ink,
    soft: shade(ink, paper, 0.68, TEXT),
    line: mixed(ink, paper, 0.2),
    edge: shade(ink, paper, 0.52, SHAPE),
    bad: readable([paper], TEXT, ...RED) ?? ink,
  };
}

const declared = (colours: Colours): string =>
  Object.entries(palette(colours))
    .map(([name, value]) => `--${name}:${value}`)
    .join(';');

const DARK = { brand: '#2fb596', ground: '#0f151c', paper: '#18212b', ink: '#e9eef4' } as const;

/** The template's colours; those of the default follow the payer's own choice of light and dark. */
export function themeStyle(template: PageTemplate): string {
  const light = `:root{${declared(template)};--radius:${template.radius}px}`;
  const isDefault = (['brand', 'ground', 'paper', 'ink'] as const).every(
    (name) => template[name] === DEFAULT_TEMPLATE[name],
  );
  return isDefault
    ? `${light}:root{color-scheme:light dark}@media(prefers-color-scheme:dark){:root{${declared(DARK)};--note:#3a3115;--noteink:#f6e7b8}}`
    : light;
}
