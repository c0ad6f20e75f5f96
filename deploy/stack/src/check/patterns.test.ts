import { expect, test } from 'vitest';
import { patternFault } from './patterns.js';

const faultOf = ({ source, flags }: RegExp) => patternFault({ place: '', source, flags });

test('S14: a pattern whose time grows faster than the text is told, and one that is linear is not', async () => {
  expect(await faultOf(/^[a-z]+ ?[0-9]*$/)).toBeUndefined();
  expect(await faultOf(/^(?:a|a)*$/)).toContain('exponential');
  expect(await faultOf(/0+$/)).toContain('2nd degree polynomial');
  expect(await patternFault({ place: '', flags: '' })).toContain('write it out');
});
