import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

export interface Row {
  readonly phone: string;
  readonly firstName: string;
  readonly orderId: string;
}

/**
 * Streams the rows of a CSV file. It supports no quotes, and reads the columns by position. For other files, use a CSV
 * parser instead.
 */
export async function* rowsOf(path: string): AsyncGenerator<Row> {
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
  let heading = true;
  for await (const line of lines) {
    const [phone = '', firstName = '', orderId = ''] = line.split(',');
    if (!heading) yield { phone, firstName, orderId };
    heading = false;
  }
}
