/**
 * The import rules: which folder of src/ may import which. `test/architecture` runs these rules over the
 * sources, and over a broken copy of each to see that it is noticed. Type imports count.
 *
 * @type {import('dependency-cruiser').IConfiguration}
 */
export default {
  forbidden: [
    onlyImports('contract', ['contract', 'foundation']),
    onlyImports('foundation', ['foundation']),
    onlyImports('key-value', ['key-value', 'foundation']),
    onlyImports('client', ['client', 'key-value', 'contract', 'foundation']),
    ...layers('client', {
      errors: [],
      transport: ['errors'],
      definition: ['errors'],
      request: ['transport', 'errors'],
      response: ['request', 'transport', 'errors'],
      observability: ['request', 'response', 'transport', 'errors'],
      call: ['observability', 'response', 'request', 'definition', 'transport', 'errors'],
      bulk: ['request', 'errors'],
      guards: ['call', 'errors'],
      idempotency: ['call', 'response', 'request', 'errors'],
      resources: ['idempotency', 'guards', 'bulk', 'call', 'request', 'definition'],
    }),
    onlyImports('webhooks', ['webhooks', 'key-value', 'contract', 'foundation']),
    ...layers('webhooks', {
      crypto: [],
      dedupe: [],
      order: ['dedupe', 'crypto'],
      verification: ['crypto'],
      diagnose: ['verification', 'crypto'],
      receiver: ['diagnose', 'order', 'dedupe', 'verification', 'crypto'],
      adapters: ['receiver', 'crypto'],
      'test-delivery': ['adapters', 'diagnose', 'verification', 'crypto'],
    }),
    onlyImports(
      'server',
      ['server', 'webhooks', 'files', 'contract', 'foundation'],
      '^src/server/subjects/(reference-workspace|test-contact/test-contact)\\.ts$',
    ),
    ...layers('server', {
      time: [],
      model: ['time'],
      responses: ['model', 'time'],
      store: ['model', 'time'],
      service: ['store', 'model', 'time'],
      deliveries: ['service', 'store', 'model', 'time'],
      faults: ['deliveries', 'service', 'responses', 'model', 'time'],
      seed: ['faults', 'service', 'model', 'time'],
      inspection: ['seed', 'faults', 'service', 'model', 'time'],
      workspace: ['seed', 'faults', 'deliveries', 'service', 'store', 'model', 'time'],
      subjects: ['workspace', 'seed', 'inspection', 'deliveries', 'faults', 'service', 'model', 'time'],
      state: ['subjects', 'workspace', 'seed', 'faults', 'model', 'time'],
      http: [
        'subjects',
        'workspace',
        'seed',
        'inspection',
        'faults',
        'service',
        'responses',
        'model',
        'time',
      ],
    }),
    {
      name: 'only-the-server-chooses-a-store',
      comment: 'Code that uses a store imports only its interface.',
      severity: 'error',
      from: { path: '^src/server/', pathNot: '^src/server/(store/memory/|reference-server\\.ts$)' },
      to: { path: '^src/server/store/memory/' },
    },
    {
      name: 'http-knows-no-control',
      comment: 'The control surface imports the HTTP layer of the API, and not the other way round.',
      severity: 'error',
      from: { path: '^src/server/http/[^/]+\\.ts$' },
      to: { path: '^src/server/http/control/' },
    },
    {
      name: 'http-knows-no-metrics',
      comment: 'The metrics observe the HTTP layer of the API, which does not import them.',
      severity: 'error',
      from: { path: '^src/server/http/([^/]+\\.ts$|control/|page/)' },
      to: { path: '^src/server/http/metrics/' },
    },
    {
      name: 'workspace-provides-a-client',
      comment:
        'A workspace provides a client to tests, and imports only the class of the client and the type of its workspaces.',
      severity: 'error',
      from: { path: '^src/server/subjects/(reference-workspace|test-contact/test-contact)\\.ts$' },
      to: {
        path: '^src/',
        pathNot:
          '^src/((server|webhooks|contract|foundation)/|client/(client|definition/workspace-definition)\\.ts$)',
      },
    },
    {
      name: 'http-knows-no-page',
      comment: 'The page imports the HTTP layer of the API, and not the other way round.',
      severity: 'error',
      from: { path: '^src/server/http/([^/]+\\.ts$|control/)' },
      to: { path: '^src/server/http/page/' },
    },
    {
      name: 'workbench-imports',
      comment:
        'The page imports the tables of operations, and the types of its responses. It imports no code of the server.',
      severity: 'error',
      from: { path: '^src/workbench/' },
      to: { path: '^src/', pathNot: '^src/(workbench|contract|server)/' },
    },
    {
      name: 'workbench-loads-the-tables-alone',
      comment:
        'The build replaces the tables by methods and paths, and the other files have no schema. Any other import would add its schemas to the page.',
      severity: 'error',
      from: { path: '^src/workbench/' },
      to: {
        path: '^src/(contract|server)/',
        pathNot:
          '^src/(contract/(filled-path|operations|operation-name|webhook-event-type)|server/(subjects/control-operations|model/entry-names|time/duration))\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    ...layers('workbench', {
      public: [],
      surface: [],
      reading: ['surface'],
      live: ['reading', 'surface'],
      elements: ['reading', 'surface'],
      views: ['elements', 'live', 'reading', 'surface'],
    }),
    onlyImports('msw', ['msw', 'server', 'contract', 'foundation']),
    onlyImports('vitest', ['vitest', 'server', 'client', 'contract', 'foundation']),
    onlyImports('undici', ['undici', 'client', 'contract', 'foundation']),
    onlyImports('postgres', ['postgres', 'server', 'contract', 'foundation']),
    ...layers('postgres', {
      database: [],
      records: ['database'],
      replica: ['records', 'database'],
    }),
    {
      name: 'postgres-knows-the-port-alone',
      comment:
        'The store in PostgreSQL imports the interface of a store and the records, and no code that uses a store.',
      severity: 'error',
      from: { path: '^src/postgres/' },
      to: { path: '^src/server/', pathNot: '^src/server/(store/[^/]+|model/[^/]+|time/[^/]+)\\.ts$' },
    },
    onlyImports('mcp', ['mcp', 'server', 'contract', 'foundation']),
    {
      name: 'mcp-knows-the-table-alone',
      comment:
        'The tools call a running server. They import the table of its operations, and no other code of the server.',
      severity: 'error',
      from: { path: '^src/mcp/' },
      to: {
        path: '^src/server/',
        pathNot: '^src/server/(subjects/(clock|control-operations|operation)|http/control/openapi)\\.ts$',
      },
    },
    onlyImports('files', ['files', 'foundation']),
    onlyImports('bulk', ['bulk', 'client', 'files', 'foundation']),
    {
      name: 'bulk-knows-the-checkpoint-alone',
      comment: 'The checkpoint file imports the type of a checkpoint, and no other part of the client.',
      severity: 'error',
      from: { path: '^src/bulk/' },
      to: { path: '^src/client/', pathNot: '^src/client/bulk/checkpoint\\.ts$' },
    },
    onlyImports('conformance', ['conformance', 'webhooks', 'contract', 'foundation']),
    {
      name: 'cli-imports-public-entries',
      comment:
        'The command line imports the public entries. It also writes files, redacts keys, lists the event types, reads the time, prints the version, asks for the operations of the control surface, names the JSON of a journal entry, knows the file names of failed tests, sends deliveries as the server does, settles keys as the client does, reads its own checkpoints, knows why connections fail and what the URL of a database says, knows what a phone looks like and which host is this machine, quotes words for a shell, names the closest of several names, and reads bodies up to a limit.',
      severity: 'error',
      from: { path: '^src/cli/' },
      to: {
        path: '^src/',
        pathNot:
          '^src/(cli/|files/|client/(bulk/checkpoint|idempotency/unsettled)\\.ts$|contract/(filled-path|phone|redaction|webhook-event-type|webhook-events)\\.ts$|foundation/(clock|connection-causes|database-url|near-name|read-body|shell-word|this-machine|version)\\.ts$|server/(subjects/(clock|control-operations|operation|journal/entry-json)|deliveries/node-sender|state/keep-on-failure)\\.ts$|index\\.ts$|(webhooks|server|msw|bulk|conformance|postgres|mcp)/index\\.ts$)',
      },
    },
    ...layers('cli', {
      terminal: [],
      'running-server': ['terminal'],
      conformance: ['running-server', 'terminal'],
      contacts: ['running-server', 'terminal'],
      deployment: ['running-server', 'terminal'],
      receiver: ['running-server', 'terminal'],
      serve: ['running-server', 'terminal'],
      templates: ['running-server', 'terminal'],
      unsettled: ['terminal'],
      workspace: ['running-server', 'terminal'],
    }),
    {
      name: 'cli-loads-the-store-when-asked',
      comment: 'The store needs packages that other users need not install.',
      severity: 'error',
      from: { path: '^src/cli/' },
      to: { path: '^src/postgres/', dynamic: false, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'cli-loads-the-tools-when-asked',
      comment: 'Only one command needs the tools for agents.',
      severity: 'error',
      from: { path: '^src/cli/' },
      to: { path: '^src/mcp/', dynamic: false, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'index-imports-client-side',
      comment: 'The main entry of the SDK loads neither the server nor the testing tools.',
      severity: 'error',
      from: { path: '^src/index\\.ts$' },
      to: { path: '^src/', pathNot: '^src/(client|webhooks|key-value|contract|foundation)/' },
    },
    {
      name: 'bulk-is-loaded-when-used',
      comment:
        'Most users of the client never use bulk runs, so the client loads only their handle and types.',
      severity: 'error',
      from: { path: '^src/(client/|index\\.ts$)', pathNot: '^src/client/bulk/' },
      to: {
        path: '^src/client/bulk/',
        pathNot: '^src/client/bulk/(bulk-run|checkpoint|options|outcome)\\.ts$',
      },
    },
    onlyKnownBy('zod', '^src/(contract|server|conformance|mcp)/'),
    onlyKnownBy('openapi3-ts', '^src/(contract|server/http/control)/openapi(-components|-writer)?\\.ts$'),
    onlyKnownBy('ky', '^src/client/transport/ky-transport\\.ts$'),
    onlyKnownBy('@noble/hashes', '^src/(webhooks|server)/'),
    onlyKnownBy('tinyqueue', '^src/server/'),
    onlyKnownBy('pure-rand', '^src/server/faults/random\\.ts$'),
    onlyKnownBy('ipaddr.js', '^src/server/'),
    onlyKnownBy('msw', '^src/msw/'),
    onlyKnownBy('pg', '^src/(postgres/database/|cli/unsettled/drivers\\.ts$)'),
    onlyKnownBy('redis', '^src/cli/unsettled/drivers\\.ts$'),
    onlyKnownBy('ioredis', '^src/cli/unsettled/drivers\\.ts$'),
    onlyKnownBy('graphile-worker', '^src/postgres/replica/'),
    onlyKnownBy('undici', '^src/undici/'),
    onlyKnownBy('vitest', '^src/vitest/'),
    onlyKnownBy('commander', '^src/cli/'),
    onlyKnownBy('yaml', '^src/cli/'),
    onlyKnownBy('eventsource-parser', '^src/(cli|workbench)/'),
    onlyKnownBy('preact', '^src/workbench/'),
    onlyKnownBy('@preact/signals', '^src/workbench/'),
    onlyKnownBy('csv-parse', '^src/cli/'),
    {
      name: 'no-node-outside-node',
      comment: 'The client, the webhooks, the contract and the foundation run without Node.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot:
          '^src/((server|postgres|msw|undici|bulk|cli|mcp|files)/|conformance/deliveries/listener\\.ts$)',
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'no-unknown-library',
      comment: 'Every library has one owning folder. Name it here before you use the library.',
      severity: 'error',
      from: { path: '^src/' },
      to: {
        path: 'node_modules/',
        pathNot: `node_modules/(zod|openapi3-ts|ky|@noble/hashes|tinyqueue|pure-rand|ipaddr\\.js|leven|msw|undici|pg|redis|ioredis|graphile-worker|commander|yaml|eventsource-parser|csv-parse|preact|@preact/signals|vitest)/`,
      },
    },
    {
      name: 'no-cycle',
      comment: 'Files must not import each other in a circle.',
      severity: 'error',
      from: { path: '^src/' },
      to: { circular: true },
    },
    {
      name: 'no-unresolvable',
      comment: 'An unresolved import would pass every other rule.',
      severity: 'error',
      from: { path: '^src/' },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
    },
  },
};

/** A folder of src/ that imports, of our own files, those of the given folders; the exception has a rule of its own. */
function onlyImports(folder, allowed, exception) {
  return {
    name: `${folder}-imports`,
    comment: `src/${folder} imports, of our own, only from: ${allowed.join(', ')}.`,
    severity: 'error',
    from: { path: `^src/${folder}/`, ...(exception && { pathNot: exception }) },
    to: { path: '^src/', pathNot: `^src/(${allowed.join('|')})/` },
  };
}

/**
 * The folders of a folder of src/, from the ground up: each imports, of its siblings, only those named for it, which
 * stand above it in the list. So no two folders import each other.
 */
function layers(folder, allowedBySibling) {
  return Object.entries(allowedBySibling).map(([sibling, allowed]) => ({
    name: `${folder}-layer-${sibling}`,
    comment: `src/${folder}/${sibling} imports, of src/${folder}, only from: ${[sibling, ...allowed].join(', ')}.`,
    severity: 'error',
    from: { path: `^src/${folder}/${sibling}/` },
    to: { path: `^src/${folder}/.+/`, pathNot: `^src/${folder}/(${[sibling, ...allowed].join('|')})/` },
  }));
}

/** A library that its owner hides from all others. */
function onlyKnownBy(library, owner) {
  return {
    name: `only-one-knows-${library}`,
    comment: `Only ${owner} imports ${library}.`,
    severity: 'error',
    from: { path: '^src/', pathNot: owner },
    to: { path: `node_modules/${library}/` },
  };
}
