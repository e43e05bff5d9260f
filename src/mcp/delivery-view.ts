/** A delivery of the control surface. */
export interface ShownDelivery {
  readonly id: string;
  readonly body: string;
  readonly status: string;
}

/** A delivery with the length of its body in bytes, and without its signatures, which cannot be verified with a masked body. */
export function deliveryView({ body, ...delivery }: ShownDelivery): Record<string, unknown> {
  const { attempts }: { readonly attempts?: unknown } = Object(delivery);
  return {
    ...delivery,
    ...(Array.isArray(attempts) && { attempts: attempts.map(withoutSignature) }),
    bytes: new TextEncoder().encode(body).length,
    body,
  };
}

function withoutSignature(attempt: unknown): object {
  const { signature, ...others } = Object(attempt);
  return others;
}
