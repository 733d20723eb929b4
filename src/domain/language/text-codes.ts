import { error, warning, type CodeEntry } from './code-entry.ts';

/** Codes about the text, its blocks and attributes, and the values of expressions. */
export const textCodes = {
  'syntax-error': error(
    'The text is not valid HCL.',
    'Look at this place and just before it for a quote, bracket, comma or equals sign that is missing or too many.',
  ),
  'nul-character': error('The text contains a NUL byte.', 'Save the file as plain UTF-8 text.'),
  'number-in-template': warning(
    'A text has a bare number in ${…}, such as ${1}: HCL fills in the number itself.',
    'For an argument of a script or function write $1 or $${1}.',
  ),
  'huge-number': error('A number has an exponent of more than three digits.', 'Write a smaller number.'),
  'too-large': error(
    'The text, all its sources together, or the pipeline with expanded groups is larger than allowed.',
    'Move scripts into the repository, or split the pipeline.',
  ),
  'too-deep': error(
    'Blocks, brackets, templates or operators are nested too deeply.',
    'Split the expression into simpler ones.',
  ),
  'too-many-lines': error(
    'A text has more than 5,000 lines.',
    'Move the text into a file of the repository.',
  ),
  'too-many-blocks': error('The text has more than 5,000 blocks.', 'Split the pipeline.'),
  'too-many-diagnostics': warning(
    'There are more errors and warnings than are shown.',
    'Correct these first.',
  ),
  'time-limit': error(
    'Reading the pipeline took too long.',
    'Look for expressions that repeat themselves very often.',
  ),
  'machine-busy': error(
    'The machine was too busy to read the pipeline.',
    'The text is not at fault: try again when the machine is less busy.',
  ),
  'memory-limit': error(
    'Reading the pipeline took too much memory.',
    'Look for expressions that make very large values.',
  ),
  'engine-fault': error(
    'The HCL engine failed on this text.',
    'This is a fault of Millrace, not of the text: please report it.',
  ),
  'unknown-block': error(
    'A block of this name does not exist here.',
    'Remove the block or correct its name.',
  ),
  'unknown-attribute': error(
    'An attribute of this name does not exist here.',
    'Remove the attribute or correct its name.',
  ),
  'attribute-expected': error(
    'A block is used where an attribute is expected.',
    'Write it with an equals sign.',
  ),
  'block-expected': error(
    'An attribute is used where a block is expected.',
    'Write it as a block, in braces.',
  ),
  'missing-attribute': error('A required attribute is missing.', 'Add the attribute.'),
  'missing-block': error('A required block is missing.', 'Add the block.'),
  'duplicate-block': error('A block that is allowed once is used twice.', 'Keep one of them.'),
  'wrong-labels': error(
    'A block has too few or too many labels.',
    'Write the labels in quotes before the brace.',
  ),
  'misplaced-block': error('A block of this name is not allowed here.', 'Move the block.'),
  'wrong-type': error('A value has the wrong type.', 'Give a value of the type that the message names.'),
  'out-of-range': error('A number is too small or too large, or not whole.', 'Give a number in the range.'),
  'invalid-choice': error('A value is not one of those that are allowed here.', 'Write one of them.'),
  'invalid-duration': error(
    'A text is not a duration.',
    'Write numbers with units, such as 90s, 5m or 1h30m.',
  ),
  'invalid-path': error('A path leads out of the working directory.', 'Write it relative, without "..".'),
  'evaluation-failed': error('An expression has no value.', 'Correct the expression.'),
  'unknown-reference': error(
    'An expression names something that does not exist.',
    'Use var.<name>, or, in a job or resource with for_each or matrix, each.key and each.value.',
  ),
  'unknown-variable': error(
    'An expression names a variable that is not declared.',
    'Declare it with a variable block.',
  ),
  'unknown-function': error('An expression calls a function that does not exist.', 'Correct the name.'),
} satisfies Record<string, CodeEntry>;
