/** The key that the load is sent with; only our server looks at it. */
export const apiKey = 'key_of_the_benchmark';
