// A test environment for Jest: jsdom, with the network globals of Node.js, most of which jsdom lacks.
//   npm install --save-dev jest jest-environment-jsdom
// and in jest.config.js: testEnvironment: './jsdom-with-node-globals.cjs'
const { TestEnvironment } = require('jest-environment-jsdom');

const fromNode = {
  AbortController,
  AbortSignal,
  Headers,
  ReadableStream,
  Request,
  Response,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
  clearImmediate,
  crypto,
  fetch,
  setImmediate,
  structuredClone,
};

module.exports = class extends TestEnvironment {
  constructor(...configuration) {
    super(...configuration);
    for (const [name, value] of Object.entries(fromNode)) {
      Object.defineProperty(this.global, name, { value, configurable: true, writable: true });
    }
    // Resolve imports as Node.js does, and not as a browser bundle.
    this.customExportConditions = ['node', 'node-addons'];
  }
};
