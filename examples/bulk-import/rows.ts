import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

export interface Row {
  readonly phone: string;
  readonly firstName: string;
  readonly orderId: string;
}

/**
 * The rows of a CSV file, one at a time however large it is. It knows no quotes and takes the columns in their
 * order; for files from the wild, put a CSV parser in its place.
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
