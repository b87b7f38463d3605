/** Characters nobody sees: they hide words from people, or split a secret so that it has no shape. */
const invisible = /(?![\n\t])\p{Cc}|\p{Cf}|\p{Default_Ignorable_Code_Point}/gu
/** Colours of a terminal, before the control character that begins them is gone. */
const terminal = /(?![\n\t])\p{Cc}(?:\[[0-9;?]{0,32}[A-Za-z]|\][^\p{Cc}]{0,500})/gu

/** Line ends of one kind, at most one blank line, no invisible characters, no half of a surrogate pair. */
export const visibleText = (text: string): string =>
  text
    .replaceAll(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replaceAll(terminal, '')
    .replaceAll(invisible, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .toWellFormed()

/** Names of tags that a model may take for the frame of its prompt. */
const names =
  'system|assistant|user|human|developer|instructions?|prompt|context|thoughts?|thinking|think|reasoning|scratchpad|reflection|answer|output|result|tools?|tool_[a-z_]+|functions?|function_[a-z_]+|antml:[a-z_]+|invoke|parameters?|document|documents|conversation|transcript|messages?|memory|memories|existing|candidates?|quote|admin|root|important|override|rules?|task|input|data|example|examples|system-reminder|command-[a-z]+|local-command-[a-z]+|bash-[a-z]+|task-notification|user-prompt-submit-hook|environment_[a-z]+|s|INST|SYS'
const tag = new RegExp(`<(?=\\s{0,4}[/!?]?\\s{0,4}(?:${names})(?![\\w-]))`, 'gi')
const doubled = /<<(?=\/?SYS>>)|(?<=<<?\/?SYS)>>/gi
const special = /<([|｜])([^|｜\n<>]{0,64})([|｜])?>/g
const bracketed = /\[(?=\/?\s{0,4}(?:INST|SYSTEM|ASSISTANT|USER|SYS)\s{0,4}\])/gi
const comment = /<(?=!--)|(?<=--!?)>/g
const speaker = /^([ \t>*#-]{0,8}(?:human|assistant|system|user|developer)[*_]{0,2}) ?:/gim

/**
 * Takes the effect from what could speak to a model or to our own reader, and leaves it readable: brackets become
 * their typographic twins, and a speaker's colon a dash.
 */
export const inertText = (text: string): string =>
  text
    .replaceAll(doubled, (found) => (found.startsWith('<') ? '‹‹' : '››'))
    .replaceAll(comment, (found) => (found === '<' ? '‹' : '›'))
    .replaceAll(tag, '‹')
    .replaceAll(special, '‹$1$2$3›')
    .replaceAll(bracketed, '⟦')
    .replaceAll(speaker, '$1 –')
