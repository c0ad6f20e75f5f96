import type { Implementation } from '@weir/kit/rpc';
import type { VariablesServiceDefinition } from '@weir/proto/variables';

/** The methods of the service, of which each file here has some. */
export type VariablesMethods = Implementation<typeof VariablesServiceDefinition>;
