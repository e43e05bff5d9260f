import { bridgedEnvironment } from './fetch/environments.js';
import { lambdaEnvironments } from './lambda/environments.js';
import { nodeHttp } from './node/node-http.js';
import { describeMatrix } from './support/matrix.js';

// One environment for each kind of adapter. The exhaustive tests have all.
const [restApi, restApiBase64] = lambdaEnvironments;

describeMatrix(
  'Adapter × fault',
  [nodeHttp, bridgedEnvironment, restApi, restApiBase64].filter((one) => one !== undefined),
);
