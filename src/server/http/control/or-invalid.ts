import { ServiceError } from '../../model/service-error.js';

/** Turns an error about invalid input into a response with status 400. */
export async function orInvalid<Result>(perform: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await perform();
  } catch (error) {
    const { name, message } = Object(error);
    if (!['ConfigurationError', 'TypeError', 'RangeError'].includes(name)) throw error;
    throw new ServiceError('invalid_request', String(message));
  }
}
