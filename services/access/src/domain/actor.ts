/** Who caused a change. */
export interface Actor {
  readonly type: string;
  readonly id: string;
}

const types: readonly string[] = ['user', 'developer_api_key', 'system'];
const idCharactersMax = 256;

/** Whether an actor can be stored. */
export function isActor(actor: Actor | undefined): actor is Actor {
  return (
    actor !== undefined &&
    types.includes(actor.type) &&
    actor.id !== '' &&
    actor.id.length <= idCharactersMax &&
    !actor.id.includes('\0')
  );
}
