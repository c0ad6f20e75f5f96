/** What an expression of a calculation may say, in the few forms of Markdown that the document's page renders. */
export const expressionLanguage = `\
**Expressions.** An expression is arithmetic over the inputs of its calculation, and has one value at each instant. It names an input by the alias of its variable or constant, or always as \`{input id}\`: of two inputs with one alias each is named by id. Every input must be used.

- Operators, the tightest first: \`^\` (from the right, and tighter than a sign: \`-2^2\` is -4), \`-x\`, \`* / %\`, \`+ -\`, \`< <= > >= == !=\` (they do not chain), \`not\`, \`and\`, \`or\`. Comparisons give 1 or 0; every number but 0 is true. \`%\` has the sign of the dividend.
- Functions of numbers: \`abs sqrt cbrt exp ln log10 log2 round floor ceil trunc sign sin cos tan asin acos atan sinh cosh tanh\` of one, \`pow(x, y)\`, \`atan2(y, x)\`, \`hypot(x, y)\`, \`min(a, b, …)\`, \`max(a, b, …)\`, \`clamp(x, low, high)\`. Angles are in radians; \`round\` takes halves away from zero. The constants are \`pi\` and \`e\`; \`timestamp()\` is the instant in seconds since 1970.
- \`if(condition, a, b)\` evaluates the branch that it chooses. \`coalesce(a, b, …)\` is the first that has a value, \`isnull(x)\` is 1 where there is none.
- \`interpolate(x, x1, y1, x2, y2, …)\` looks a table up, linearly between its points, whose x ascend: a rating curve. Outside the table there is no value.
- Over an input with \`past_buffer_seconds\`, whose window is \`(t - buffer, t]\`: \`mean sum count stddev median first last delta rate\`, and \`min max\` with one argument. \`rate\` is per second, \`stddev\` that of a sample; these and \`delta\` need two observations, \`count\` none, the others one.
- \`previous(x)\` is the value of an input before the instant, within its buffer where it has one.

**Instants.** Results stand where any \`self_variable\` without \`past_buffer_seconds\` has an observation; each calculation reads at least one such. An \`instrument_variable\` is read as of the instant: its last value within its buffer, or without a buffer its value at the very instant. A constant has the value in force.

**Missing values.** Where an input has no value, or a division by zero, a function outside its domain or an overflow leaves none, nothing is stored, unless \`coalesce\` or \`isnull\` handles it; the recalculation counts these by reason. An \`integer\` variable stores results rounded, halves away from zero, a \`boolean\` one 0 or 1 (every number but 0).

**Limits.** 4096 characters, 64 levels of nesting and 1024 parts; faults of syntax tell their place. A window of more than 1,048,576 observations gives no value. Variables that read each other in a ring are refused.`;
