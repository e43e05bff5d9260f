// Preloaded into a replica: has each delivery say which process sent it, so that what a receiver saw can be laid to the one
// that died. SOAK_REPLICA holds its number.
import http from 'node:http';

const send = http.request;
http.request = (...given) => {
  const request = send(...given);
  request.setHeader('x-soak-replica', process.env.SOAK_REPLICA ?? '');
  return request;
};
