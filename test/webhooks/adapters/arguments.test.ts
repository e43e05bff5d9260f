import {
  ConfigurationError,
  createWebhookReceiver,
  toFastifyHandler,
  toFastifyPlugin,
  toFetchHandler,
  toHonoHandler,
  toKoaMiddleware,
  toLambdaHandler,
  toNextPagesHandler,
  toNodeHandler,
} from 'messaging-automation/webhooks';
import { expect, test } from 'vitest';

test.each([
  ['toFastifyHandler', toFastifyHandler],
  ['toFastifyPlugin', toFastifyPlugin],
  ['toFetchHandler', toFetchHandler],
  ['toHonoHandler', toHonoHandler],
  ['toKoaMiddleware', toKoaMiddleware],
  ['toLambdaHandler', toLambdaHandler],
  ['toNextPagesHandler', toNextPagesHandler],
  ['toNodeHandler', toNodeHandler],
])('%s takes a receiver, and refuses its options at once', (name, adapter) => {
  const adapt = (given: unknown) => () => Reflect.apply(adapter, undefined, [given]);
  expect(adapt({ secret: 'whsec_example' })).toThrow(
    new ConfigurationError(
      `${name}: its argument must be the receiver that createWebhookReceiver returns, not an object.`,
    ),
  );
  expect(adapt(undefined)).toThrow(ConfigurationError);
  expect(adapt(createWebhookReceiver({ secret: 'whsec_example' }))).not.toThrow();
});
