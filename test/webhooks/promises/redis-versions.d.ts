/** The older versions of node-redis, for which the types of the newest serve. */
declare module 'redis-4' {
  export * from 'redis';
}
declare module 'redis-5' {
  export * from 'redis';
}
