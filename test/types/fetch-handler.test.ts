import { createWebhookReceiver, toFetchHandler } from 'messaging-automation/webhooks';
import { describe, expectTypeOf, test } from 'vitest';

/** What `next build` reads of a route with webpack. It must be a `Request`. */
type FirstArgument<Handler> = Handler extends (...given: [infer First, unknown]) => unknown ? First : never;

/** A request with something of its own, as those of Next.js and Azure Functions. */
interface SpecialRequest extends Request {
  readonly tenant: string;
}

describe('toFetchHandler', () => {
  test('is a route of Next.js', () => {
    const POST = toFetchHandler(createWebhookReceiver({ secret: 'whsec_example' }));
    expectTypeOf<FirstArgument<typeof POST>>().toEqualTypeOf<Request>();
  });

  test('takes what has the parts of a request', () => {
    const handle = toFetchHandler(createWebhookReceiver({ secret: 'whsec_example' }));
    expectTypeOf(handle).toExtend<(request: SpecialRequest, context: object) => Promise<Response>>();
    expectTypeOf(handle).toExtend<ReturnType<typeof toFetchHandler>>();
    expectTypeOf(handle).not.toExtend<(request: string) => Promise<Response>>();
  });

  test('takes only the request of a receiver whose code needs one', () => {
    const receiver = createWebhookReceiver({ secret: (request: SpecialRequest) => request.tenant });
    const handle = toFetchHandler(receiver);
    expectTypeOf<FirstArgument<typeof handle>>().toEqualTypeOf<SpecialRequest>();
    expectTypeOf(handle).not.toExtend<(request: Request) => Promise<Response>>();
  });
});
