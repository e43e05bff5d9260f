import { postgresStore } from '../../../src/postgres/index.js';
import { Told } from './replicas.js';

// Opens a store, waits until it runs, and closes it. Then nothing is left to do.
const store = postgresStore({
  connectionString: process.env.STORE_URL,
  schema: process.env.STORE_SCHEMA,
  lease: '100ms',
});
await store.open(new Told());
while ((store.counters().sweeps ?? 0) < 2) await store.health();
await store.close();
process.stdout.write('closed\n');
