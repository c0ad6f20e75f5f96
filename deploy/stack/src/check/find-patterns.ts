import ts from 'typescript';

/** A regular expression of a source file. */
export interface FoundPattern {
  /** File and line. */
  readonly place: string;
  /** Absent when it is put together while the program runs, and cannot be told. */
  readonly source?: string;
  readonly flags: string;
}

function ofLiteral(text: string): Pick<FoundPattern, 'source' | 'flags'> {
  const end = text.lastIndexOf('/');
  return { source: text.slice(1, end), flags: text.slice(end + 1) };
}

function ofCall(call: ts.NewExpression | ts.CallExpression): Pick<FoundPattern, 'source' | 'flags'> {
  const texts = (call.arguments ?? []).map((node) => (ts.isStringLiteralLike(node) ? node.text : undefined));
  const [source, flags = ''] = texts;
  return source === undefined || texts.includes(undefined) ? { flags: '' } : { source, flags };
}

/** The regular expressions of a source file: literals, and what is made by `RegExp`. */
export function findPatterns(file: string, text: string): FoundPattern[] {
  const parsed = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const found: FoundPattern[] = [];
  const add = (node: ts.Node, pattern: Pick<FoundPattern, 'source' | 'flags'>): void => {
    const { line } = parsed.getLineAndCharacterOfPosition(node.getStart(parsed));
    found.push({ place: `${file}:${line + 1}`, ...pattern });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) add(node, ofLiteral(node.text));
    const isCall = ts.isNewExpression(node) || ts.isCallExpression(node);
    if (isCall && ts.isIdentifier(node.expression) && node.expression.text === 'RegExp') add(node, ofCall(node));
    ts.forEachChild(node, visit);
  };
  visit(parsed);
  return found;
}
