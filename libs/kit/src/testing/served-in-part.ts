import { type Implementation, served } from '../rpc/index.js';

type Definition = Parameters<typeof served>[0];

/** A service with the methods given; its others are not part of a test. */
export function servedInPart<S extends Definition>(definition: S, methods: Partial<Implementation<S>>) {
  const unused = () => Promise.reject(new Error('not part of the test'));
  const others = Object.fromEntries(Object.keys(definition.methods).map((name) => [name, unused]));
  return served(definition, { ...others, ...methods } as Implementation<S>);
}
