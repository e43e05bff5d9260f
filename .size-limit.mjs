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
    ignore: ['./distribution-*', './item-run-*', './middleware-chain-*'], // ky, which the first call loads, and what works through bulk runs
    limit: '20 kB',
  },
  {
    name: 'the client, with what its first call loads',
    path: 'dist/index.js',
    import: '{ MessagingAutomation }',
    ignore: ['./item-run-*', './middleware-chain-*'],
    limit: '29 kB',
  },
  {
    name: 'verifyWebhook alone',
    path: 'dist/webhooks.js',
    import: '{ verifyWebhook }',
    limit: '4 kB',
  },
].map((check) => ({
  ...check,
  gzip: true,
  modifyEsbuildConfig: (config) => ({ ...config, logLevel: 'error' }),
}));
