// The import table of the house. A room is a folder of src; it is entered by its index.ts and may import what stands in its row.
// The table in ARCHITECTURE.md is this one in words. A row that must grow is a decision about the house, not about a file.

/** room → the rooms whose doors it may use */
const ROOMS = {
  base: [],
  html: [],
  cli: ['base'],
  store: ['base'],
  http: ['base', 'store'],
  vault: ['base', 'store'],
  ledger: ['base', 'store'],
  network: ['base', 'store'],
  events: ['base', 'store'],
  wallets: ['base'],
  threeds: ['base', 'html', 'store', 'vault'],
  gateway: ['base', 'store', 'vault', 'ledger', 'network', 'threeds', 'events', 'wallets'],
  issuing: ['base', 'store', 'vault', 'ledger', 'network', 'events'],
  operator: ['base', 'store', 'http', 'ledger', 'network'],
  sandbox: ['base', 'store', 'http', 'network', 'operator'],
  pages: ['base', 'html', 'http', 'threeds', 'gateway'],
  processes: ['base', 'store'],
};

/** The files of a room that speak HTTP: addresses, shapes of bodies, the failure envelope; and all that lie in a room within it that is called api. */
const HTTP_FILES = '/(routes|routes-[a-z-]+|[a-z-]+-routes|schemas|[a-z-]+-schemas|envelope|api/[a-z-]+)\\.ts$';

/** Rooms within a room: neighbours, each with a door of its own. */
const SUB_ROOMS = [
  'src/base/[^/]+',
  'src/store/[^/]+',
  'src/http/[^/]+',
  'src/network/[^/]+',
  'src/events/[^/]+',
  'src/threeds/[^/]+',
  'src/gateway/[^/]+',
  'src/issuing/[^/]+',
  'src/cli/[^/]+',
];

/** Rooms within a room that stand in order: each may import only those before it. */
const IN_ORDER = {
  base: ['iso', 'turns'],
  store: ['embedded', 'commit', 'due', 'installation'],
  http: ['rates', 'listener', 'fields', 'api', 'description'],
  network: ['simulator'],
  events: ['log', 'alarms', 'egress', 'endpoints', 'delivery', 'keeping', 'figures', 'api'],
  threeds: ['protocol', 'acs'],
  gateway: [
    'projects',
    'templates',
    'risk',
    'orders',
    'intake',
    'payout-bounds',
    'flight',
    'operations',
    'authorization',
    'settlement',
    'listing',
    'checkout',
    'due',
    'api',
  ],
  issuing: [
    'fields',
    'rules',
    'tenants',
    'people',
    'requests',
    'lending',
    'access',
    'accounts',
    'cards',
    'tokens',
    'secrets',
    'reading',
    'life',
    'plastic',
    'creation',
    'options',
    'self-service',
    'transfers',
    'decision',
    'payments',
    'authorization',
    'challenges',
    'operator',
    'scenarios',
    'api',
  ],
};

const rooms = Object.keys(ROOMS);

const table = rooms.map((room) => ({
  name: `imports-of-${room}`,
  comment: `${room} may import: ${ROOMS[room].join(', ') || 'nothing of ours'}. Needs more? Declare a port (a type) and let app.ts supply it.`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: {
    path: `^src/(${rooms.filter((other) => other !== room && other !== 'http' && !ROOMS[room].includes(other)).join('|')})/`,
  },
}));

module.exports = {
  forbidden: [
    ...table.filter((rule) => rule.to.path !== '^src/()/'),
    {
      name: 'http-is-for-routes',
      comment: 'Only routes, schemas and envelopes know HTTP; a use case takes typed input and returns a value.',
      severity: 'error',
      from: {
        path: '^src/(base|html|store|vault|ledger|network|events|wallets|threeds|gateway|issuing)/',
        pathNot: HTTP_FILES,
      },
      to: { path: '^src/http/' },
    },
    {
      name: 'low-rooms-have-no-http',
      comment:
        'base, html, store, vault, ledger, network and wallets have no addresses of their own; the command line asks for those of others.',
      severity: 'error',
      from: { path: '^src/(base|cli|html|store|vault|ledger|network|wallets)/' },
      to: { path: '^src/http/' },
    },
    {
      name: 'use-cases-below-routes',
      comment: 'Routes call use cases, never the other way round.',
      severity: 'error',
      from: { path: '^src/(threeds|gateway|issuing)/', pathNot: ['/index\\.ts$', HTTP_FILES] },
      to: { path: `^src/(threeds|gateway|issuing)/.*${HTTP_FILES.slice(1)}` },
    },
    {
      name: 'rooms-by-their-door',
      comment: 'A room is entered by its index.ts; gateway and issuing also by that of a room within them.',
      severity: 'error',
      from: { path: '^src/([^/]+)(/|\\.ts$)' },
      to: {
        path: '^src/[^/]+/',
        pathNot: ['^src/$1/', '^src/[^/]+/index\\.ts$', '^src/(gateway|issuing)/[^/]+/index\\.ts$'],
      },
    },
    ...SUB_ROOMS.map((sub) => ({
      name: `sub-rooms-by-their-door (${sub.split('/')[1]})`,
      comment: 'A room within a room is entered by its index.ts.',
      severity: 'error',
      from: { path: `^(${sub})/` },
      to: { path: `^${sub}/`, pathNot: ['^$1/', `^${sub}/index\\.ts$`] },
    })),
    ...SUB_ROOMS.map((sub) => ({
      name: `sub-rooms-by-their-door, from above (${sub.split('/')[1]})`,
      comment: 'A room within a room is entered by its index.ts, by the room around it too.',
      severity: 'error',
      from: { path: `^${sub.replace('/[^/]+', '')}/[^/]+\\.ts$` },
      to: { path: `^${sub}/`, pathNot: `^${sub}/index\\.ts$` },
    })),
    ...Object.entries(IN_ORDER).flatMap(([room, order]) =>
      order.slice(0, -1).map((sub, i) => ({
        name: `rooms-in-order (${room}/${sub})`,
        comment: `${sub} knows only: ${order.slice(0, i).join(', ') || 'none of its neighbours'}.`,
        severity: 'error',
        from: { path: `^src/${room}/${sub}/` },
        to: { path: `^src/${room}/(${order.slice(i + 1).join('|')})/` },
      })),
    ),
    ...Object.entries(IN_ORDER).map(([room, order]) => ({
      name: `known-rooms-only (${room})`,
      comment: 'A new room within it has a place in the order above.',
      severity: 'error',
      from: {},
      to: { path: `^src/${room}/[^/]+/`, pathNot: `^src/${room}/(${order.join('|')})/` },
    })),
    {
      name: 'no-way-out-by-the-front',
      comment: 'What lies inside a room never imports the door around it.',
      severity: 'error',
      from: { path: '^(src/[^/]+)/' },
      to: { path: '^$1/index\\.ts$' },
    },
    ...SUB_ROOMS.map((sub) => ({
      name: `no-way-out-by-the-front (${sub.split('/')[1]})`,
      severity: 'error',
      from: { path: `^(${sub})/` },
      to: { path: '^$1/index\\.ts$' },
    })),
    {
      name: 'app-knows-all-nobody-knows-app',
      comment: 'No room knows what composes it: app.ts and its parts are imported by main.ts, tests and one another.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(main|app|app-[a-z]+)\\.ts$' },
      to: { path: '^src/(app|app-[a-z]+)\\.ts$' },
    },
    {
      name: 'nobody-imports-main',
      severity: 'error',
      from: {},
      to: { path: '^src/main\\.ts$' },
    },
    {
      name: 'environment-by-argument',
      comment:
        'Rooms are told their settings; only main.ts, app.ts, its ground floor and what is common above it import config.ts.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(main|app|app-ground|app-common)\\.ts$' },
      to: { path: '^src/config\\.ts$' },
    },
    {
      name: 'few-files-at-the-top',
      comment:
        'Beside the rooms there are main.ts, config.ts, and app.ts with its ground floor, what is common to the halves, each half, what runs beside requests, what operators are served with, what only a sandbox has, its health and its end.',
      severity: 'error',
      from: {},
      to: {
        path: '^src/[^/]+\\.ts$',
        pathNot:
          '^src/(main|config|app|app-ground|app-common|app-half|app-gateway|app-issuing|app-work|app-operator|app-sandbox|app-simulator|app-closing|app-health)\\.ts$',
      },
    },
    {
      name: 'known-rooms-only',
      comment: 'A new room is a decision: give it a row in the table above.',
      severity: 'error',
      from: {},
      to: { path: '^src/[^/]+/', pathNot: `^src/(${rooms.join('|')})/` },
    },
    {
      name: 'src-stands-alone',
      comment: 'What runs in production imports no test, no benchmark.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|bench|docs)/' },
    },
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one file, or lack a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'declared-packages-only',
      comment: 'What runs in production is a dependency, not something that happens to be installed.',
      severity: 'error',
      from: { path: '^src/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'npm-optional', 'npm-peer', 'undetermined'],
        // Types only, from the packages of types: nothing remains of them at run time.
        pathNot: ['node_modules/@types/'],
      },
    },
    {
      name: 'drivers-behind-the-store',
      comment: 'One room speaks to Postgres; the others give it SQL and values.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/store/' },
      to: { path: '^node_modules/(pg|node-pg-migrate|kysely)/' },
    },
    {
      name: 'logs-through-base',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/base/' },
      to: { path: '^node_modules/pino/' },
    },
  ],
  options: {
    // An import of a type is an import: the rooms must not know each other's shapes either.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
