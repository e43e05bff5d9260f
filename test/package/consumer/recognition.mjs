// One process that holds the package several times: as ES modules, as CommonJS, and in two minified bundles. Prints
// what each copy takes the errors of each copy for.
import { createRequire } from 'node:module';
import process from 'node:process';
import { createReferenceServer } from 'messaging-automation/server';
import * as esm from './errors-of-app.mjs';

const require = createRequire(import.meta.url);
const { errorClasses: cjsClasses, ...cjs } = (() => {
  const sdk = require('messaging-automation');
  const webhooks = require('messaging-automation/webhooks');
  const entries = Object.entries({ ...sdk, ...webhooks });
  const errorClasses = Object.fromEntries(entries.filter(([name]) => name.endsWith('Error')));
  return {
    errorClasses,
    MessagingAutomation: sdk.MessagingAutomation,
    unwrapWebhook: webhooks.unwrapWebhook,
  };
})();
const copies = {
  esm,
  cjs: { ...cjs, errorClasses: cjsClasses, handle: esm.handle },
  'minified esm': await import('./app.min.mjs'),
  'minified cjs': require('./app.min.cjs'),
};

const facts = {
  operation: 'contacts.get',
  outcome: 'rejected',
  retryable: false,
  attempts: 1,
  status: 404,
  problems: [],
};
const unlike = {
  InvalidInputError: ['contacts.get', []],
  WebhookVerificationError: ['too_old', 'It is too old.'],
};
const make = (name, errorClass) => new errorClass(...(unlike[name] ?? ['It failed.', facts]));

/** Each pair of copies: what the first one's errors are, by the second one's classes. */
const recognised = {};
for (const [from, { errorClasses: thrown }] of Object.entries(copies)) {
  for (const [by, { errorClasses: known }] of Object.entries(copies)) {
    recognised[`${from} by ${by}`] = Object.fromEntries(
      Object.entries(thrown).map(([name, errorClass]) => {
        const error = make(name, errorClass);
        return [name, Object.keys(known).filter((other) => error instanceof known[other])];
      }),
    );
  }
}

/** What the classes of one copy extend, by the names in their prototype chains: the truth that every pair has to agree with. */
const ancestry = Object.fromEntries(
  Object.entries(esm.errorClasses).map(([name, { prototype }]) => [name, namesUpwardsFrom(prototype)]),
);

function namesUpwardsFrom(prototype) {
  if (prototype === Error.prototype) return [];
  return [prototype.name, ...namesUpwardsFrom(Object.getPrototypeOf(prototype))];
}

const server = createReferenceServer();
const { baseUrl } = await server.listen({ port: 0 });
const handled = {};
for (const [from, { MessagingAutomation, unwrapWebhook }] of Object.entries(copies)) {
  const { contacts } = new MessagingAutomation({ apiKey: server.apiKey, baseUrl });
  const missing = await contacts.get('contact_nobody').catch((error) => error);
  const unverified = await new Promise((resolve) => {
    try {
      resolve(unwrapWebhook('{}', null, 'whsec_example'));
    } catch (error) {
      resolve(error);
    }
  });
  for (const [by, { handle }] of Object.entries(copies))
    handled[`${from} by ${by}`] = [missing, unverified, new Error('No.')].map(handle);
}
await server.close();

const classes = Object.entries(copies).map(([copy, { errorClasses }]) => ({
  copy,
  distinct: copy === 'esm' || errorClasses.NotFoundError !== esm.errorClasses.NotFoundError,
  className: errorClasses.NotFoundError.name,
  names: Object.entries(errorClasses).map(([name, errorClass]) => [name, make(name, errorClass).name]),
}));
process.stdout.write(JSON.stringify({ recognised, ancestry, handled, classes }));
