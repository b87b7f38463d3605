/** How long what a person gets is valid. Pages say so before somebody decides. */
export const sessionDays = 30
/** Of a token, unless its creator chooses otherwise. */
export const standardTokenDays = 90
/** Of the codes of a program that waits to be let in. */
export const deviceCodeMinutes = 10
