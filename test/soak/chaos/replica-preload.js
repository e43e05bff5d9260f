// Preloaded into a replica. Each delivery says which process sent it, so that what a receiver saw can be laid to the one that
// died: SOAK_REPLICA is its number. Its machine's clock is SOAK_CLOCK_AHEAD milliseconds ahead.
import http from 'node:http';

const { SOAK_REPLICA: replica = '', SOAK_CLOCK_AHEAD: ahead = '0' } = process.env;

const send = http.request;
http.request = (...given) => {
  const request = send(...given);
  request.setHeader('x-soak-replica', replica);
  return request;
};

const MachineDate = Date;
globalThis.Date = class extends MachineDate {
  constructor(...given) {
    super(...(given.length === 0 ? [MachineDate.now() + Number(ahead)] : given));
  }

  static now() {
    return MachineDate.now() + Number(ahead);
  }
};
