/** Replaces the name of an erased person. */
export const formerMember = 'Former member'
