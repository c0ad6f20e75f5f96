import { nothing, testPlanted, whileReading } from '../faults/planted.js';

// those that show at once; test/faults/planted-faults.test.ts has the others
testPlanted([
  { bug: 'admit-twice', while: 'requests are repeated', nemesis: nothing, tells: /^I2: key .* was admitted 2 times$/ },
  { bug: 'lose-a-point', while: 'nothing happens', nemesis: nothing, tells: /^I3: logger-. at .* is lost, not/ },
  {
    bug: 'short-page',
    while: 'series are read',
    nemesis: whileReading,
    isMeanwhile: true,
    tells: /^I6: page of logger-. .* lacks .*, which was stored before$/,
  },
]);
