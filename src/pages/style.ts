// The one style sheet of the payer's pages, with its hash for the content security policy.
import { createHash } from 'node:crypto';

export const css = `:root{color-scheme:light dark;--ink:#16202c;--soft:#5b6878;--line:#cfd7e1;--paper:#fff;--ground:#eef2f6;--brand:#0b6b57;--bad:#b3261e;--warn:#fff4d6}
@media(prefers-color-scheme:dark){:root{--ink:#e9eef4;--soft:#a3b0bf;--line:#3a4654;--paper:#18212b;--ground:#0f151c;--brand:#2fb596;--bad:#ff8a80;--warn:#3a3115}}
*{box-sizing:border-box}body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:27rem;margin:0 auto;padding:1rem}.card{background:var(--paper);border:1px solid var(--line);border-radius:14px;padding:1.25rem;margin-top:1rem}
h1{font-size:1.05rem;margin:0;font-weight:600}.amount{font-size:2rem;font-weight:700;margin:.25rem 0}.soft{color:var(--soft);margin:0}
label{display:block;font-size:.9rem;margin-top:.9rem}input{width:100%;font:inherit;padding:.7rem .8rem;margin-top:.25rem;border:1px solid var(--line);border-radius:9px;background:var(--paper);color:inherit}
input:focus-visible,button:focus-visible,a:focus-visible{outline:3px solid var(--brand);outline-offset:1px}.row{display:grid;grid-template-columns:1fr 1fr 1fr;gap:.6rem}
button,.button{display:block;width:100%;text-align:center;font:inherit;font-weight:600;padding:.85rem;border:0;border-radius:10px;background:var(--brand);color:#fff;margin-top:1.2rem;cursor:pointer;text-decoration:none}
@media(prefers-color-scheme:dark){button,.button{color:#06241d}}
button.plain{background:none;color:var(--soft);font-weight:400;margin-top:.4rem}.bad{color:var(--bad);font-size:.85rem;margin:.25rem 0 0}.note{border-radius:9px;padding:.7rem .9rem;background:var(--warn);font-size:.9rem;margin-top:1rem}
.problem{border:1px solid var(--bad);border-radius:9px;padding:.7rem .9rem;margin-top:1rem}dl{display:grid;grid-template-columns:auto 1fr;gap:.3rem 1rem;margin:1rem 0 0}dt{color:var(--soft)}dd{margin:0;text-align:right;overflow-wrap:anywhere}
code{font-family:ui-monospace,monospace}`;

export const cssHash = `'sha256-${createHash('sha256').update(css).digest('base64')}'`;
