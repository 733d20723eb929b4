export const greet = (name) => `Hello, ${name.trim() || 'world'}!`;
