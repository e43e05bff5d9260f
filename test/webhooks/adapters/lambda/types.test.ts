import type {
  ALBEvent,
  ALBHandler,
  APIGatewayProxyEvent,
  APIGatewayProxyEventV2,
  APIGatewayProxyHandler,
  APIGatewayProxyHandlerV2,
  LambdaFunctionURLEvent,
  LambdaFunctionURLHandler,
} from 'aws-lambda';
import { createWebhookReceiver, toLambdaHandler } from 'messaging-automation/webhooks';
import { describe, expectTypeOf, test } from 'vitest';
import { secret } from '../../delivery-body.js';
import type { balancerEvent, httpEvent, multiValueBalancerEvent, restEvent } from './events.js';

describe("the platform's own types", () => {
  test('one handler stands wherever a handler of theirs may', () => {
    const handler = toLambdaHandler(createWebhookReceiver({ secret }));

    expectTypeOf(handler).toExtend<APIGatewayProxyHandler>();
    expectTypeOf(handler).toExtend<APIGatewayProxyHandlerV2>();
    expectTypeOf(handler).toExtend<ALBHandler>();
    expectTypeOf(handler).toExtend<LambdaFunctionURLHandler>();
  });

  test('a receiver may name the events that it gets', () => {
    const receiver = createWebhookReceiver<APIGatewayProxyEventV2>({
      secret: (event) => event.stageVariables?.WEBHOOK_SECRET,
    });

    expectTypeOf(toLambdaHandler(receiver)).toExtend<APIGatewayProxyHandlerV2>();
    expectTypeOf(toLambdaHandler(receiver)).parameter(0).toEqualTypeOf<APIGatewayProxyEventV2>();
  });
});

// What a test says an event is, the platform must say too: as far as it goes, for no test needs all of it.
describe('the events of these tests hold nothing that the platform does not send', () => {
  test('those written down here', () => {
    expectTypeOf<ReturnType<typeof restEvent>>().toExtend<PartOf<APIGatewayProxyEvent>>();
    expectTypeOf<ReturnType<typeof httpEvent>>().toExtend<PartOf<APIGatewayProxyEventV2>>();
    expectTypeOf<ReturnType<typeof httpEvent>>().toExtend<PartOf<LambdaFunctionURLEvent>>();
    expectTypeOf<ReturnType<typeof balancerEvent>>().toExtend<PartOf<ALBEvent>>();
    expectTypeOf<ReturnType<typeof multiValueBalancerEvent>>().toExtend<PartOf<ALBEvent>>();
  });
});

/** Some of an event's fields, at any depth. */
type PartOf<Event> = {
  readonly [Field in keyof Event]?: Event[Field] extends object ? PartOf<Event[Field]> : Event[Field];
};
