// How the API reference looks: by day and by night as the reader's system does, and on a telephone.
// Rule: it only adds to the reference's own style sheet, which knows a dark look (html.dark-mode) but never puts it on.

const STYLE = `
html.dark-mode, html.dark-mode body { background: #1c2022; color-scheme: dark; }
.swagger-ui .opblock-body .response-col_links { display: none !important; }
html.dark-mode .swagger-ui table.headers td { color: #e4e6e6; }
.swagger-ui .info { margin: 32px 0; }
.swagger-ui .info .link { display: none; }
.swagger-ui .opblock-tag { flex-wrap: wrap; }
@media (max-width: 640px) {
  .swagger-ui .wrapper { padding: 0 10px; }
  .swagger-ui .opblock-tag > small { flex: 1 1 100%; order: 1; padding: 6px 0 0; }
  .swagger-ui .opblock .opblock-summary-path { max-width: none; flex: 1; }
  .swagger-ui .opblock .opblock-summary-description { display: none; }
  .swagger-ui .opblock-summary-method { min-width: 64px; }
  .swagger-ui .responses-inner, .swagger-ui .opblock-section-header { padding: 10px; }
  .swagger-ui .opblock-body thead { display: none; }
  .swagger-ui .opblock-body table, .swagger-ui .opblock-body tbody,
  .swagger-ui .opblock-body tr, .swagger-ui .opblock-body td { display: block; width: auto; max-width: 100%; }
  .swagger-ui .opblock-body table tbody tr td, .swagger-ui .opblock-body table tbody tr td:first-of-type
    { min-width: 0; max-width: 100%; padding: 6px 0 0; }
  .swagger-ui .parameters-col_description input { max-width: 100%; }
  .swagger-ui .model-box, .swagger-ui .highlight-code { max-width: 100%; overflow-x: auto; }
}
`;

/** The page that is served has no viewport of its own: telephones would show it as wide as a desk. */
const SCRIPT = `
const viewport = document.createElement('meta');
viewport.name = 'viewport';
viewport.content = 'width=device-width, initial-scale=1';
document.head.append(viewport);
const night = matchMedia('(prefers-color-scheme: dark)');
const dress = () => document.documentElement.classList.toggle('dark-mode', night.matches);
night.addEventListener('change', dress);
dress();
`;

export const referenceTheme = (title: string) => ({
  title,
  css: [{ filename: 'reference.css', content: STYLE }],
  js: [{ filename: 'reference.js', content: SCRIPT }],
});
