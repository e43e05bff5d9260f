/** What failures, bulk runs, clients with middleware or guards, calls with an idempotency key, and calls with a logger or a tracing subscriber load. */
const loadedWhenUsed = [
  './ask-guards-*',
  './connection-causes.js',
  './failures-*',
  './item-run-*',
  './pass-through-middleware-*',
  './once-*',
  './watching-*',
];

/** The build has compressed the files of the workbench. */
const compressed = {
  gzip: false,
  brotli: false,
  modifyEsbuildConfig: (config) => ({
    ...config,
    logLevel: 'error',
    loader: { '.gz': 'copy' },
  }),
};

/**
 * What the package adds to an application that bundles it, minified and gzipped. `npm run size` holds each line to
 * its limit.
 *
 * @type {import('size-limit').SizeLimitConfig}
 */
export default [
  {
    name: 'the client, as it loads',
    path: 'dist/index.js',
    import: '{ MessagingAutomation }',
    ignore: ['./ky-transport-*', ...loadedWhenUsed], // the first is ky, which the first call loads
    limit: '21.1 kB',
  },
  {
    name: 'the client, with what its first call loads',
    path: 'dist/index.js',
    import: '{ MessagingAutomation }',
    ignore: loadedWhenUsed,
    limit: '30.5 kB',
  },
  {
    name: 'verifyWebhook alone',
    path: 'dist/webhooks.js',
    import: '{ verifyWebhook }',
    limit: '4.1 kB',
  },
  {
    name: 'the code and the styles of the first view of the workbench',
    path: ['dist/workbench/main.*.gz', 'dist/workbench/chunk-*.gz'],
    limit: '45 kB',
    ...compressed,
  },
  {
    name: 'what the other views of the workbench load',
    path: 'dist/workbench/later-parts-*.gz',
    limit: '12 kB',
    ...compressed,
  },
].map((check) => ({
  modifyEsbuildConfig: (config) => ({ ...config, logLevel: 'error' }),
  gzip: true,
  ...check,
}));
