import {
  type Coder,
  coders,
  type Setting,
  type Tier,
  tiers,
} from '@crewhall/contracts/profiles/coder-profiles.ts'
import * as refused from '@crewhall/contracts/profiles/refusals.ts'
import type { RefusalKind } from '@crewhall/contracts/refusal.ts'

/** One profile as the platform sets it. */
export interface CatalogProfile {
  readonly key: string
  readonly coder: Coder
  readonly recommended_for: readonly string[]
  readonly model: string | null
  readonly effort: string | null
  /** Which limit `limit_value` stands for (PROF-20). */
  readonly guard: 'max_turns' | 'max_steps' | null
  readonly limit_value: number | null
  readonly wall_minutes: number | null
  readonly env: Readonly<Record<string, string>> | null
  readonly reason: string
  /** Settings that this profile does not accept, and their refusals. */
  readonly refuses: Readonly<Partial<Record<Setting, RefusalKind>>>
}

type Thought = 'little' | 'some' | 'much' | 'most'

interface CoderFacts {
  readonly prefix: string
  readonly model: string | null
  /** How the coder calls an amount of thought. */
  readonly effort: Readonly<Record<Thought, string>>
  readonly guard: CatalogProfile['guard']
  /** The guard of a hard build; the other tiers get a share of it. */
  readonly guard_value: number | null
  readonly env: CatalogProfile['env']
  readonly refuses: CatalogProfile['refuses']
  readonly why: string
}

/** Only Claude has a step above `high`, so only there is `much` the step below the most. */
const claudeEffort = { little: 'low', some: 'medium', much: 'high', most: 'max' }
const plainEffort = { little: 'low', some: 'medium', much: 'medium', most: 'high' }

const coderFacts: Readonly<Record<Coder, CoderFacts>> = {
  // The strongest model in all tiers: what a cheaper one saves is lost in the second attempt. Effort and turns
  // are where an easy card is made cheap.
  claude_code: {
    prefix: 'claude',
    model: 'claude-opus-5-5',
    effort: claudeEffort,
    guard: 'max_turns',
    guard_value: 400,
    env: null,
    refuses: {},
    why: 'Claude Code works with its strongest model and is held by turns',
  },
  // Which models there are is a matter of the account that is signed in, so none is named.
  codex: {
    prefix: 'codex',
    model: null,
    effort: plainEffort,
    guard: null,
    guard_value: null,
    env: null,
    refuses: { model: refused.codexTakesNoModel, limit_value: refused.takesNoLimit },
    why: 'Codex chooses the model of its account and is held by time alone',
  },
  // The card pins the model, and OpenHands reads its effort together with it. Its steps are small, so it gets
  // the most of them; a provider that is busy is asked again for longer than its own default of a few seconds.
  openhands: {
    prefix: 'openhands',
    model: null,
    effort: plainEffort,
    guard: 'max_steps',
    guard_value: 500,
    env: { LLM_NUM_RETRIES: '8', LLM_RETRY_MAX_WAIT: '120' },
    refuses: { model: refused.openHandsTakesNoModel, effort: refused.openHandsTakesNoEffort },
    why: 'OpenHands takes the model of the card and many small steps',
  },
  opencode: {
    prefix: 'opencode',
    model: 'MiniMax-M3',
    effort: plainEffort,
    guard: 'max_steps',
    guard_value: 300,
    env: null,
    refuses: {},
    why: 'OpenCode works well with an open model and larger steps',
  },
  pi: {
    prefix: 'pi',
    model: 'MiniMax-M3',
    effort: plainEffort,
    guard: null,
    guard_value: null,
    env: null,
    refuses: { limit_value: refused.takesNoLimit },
    why: 'Pi works with an open model and is held by time alone',
  },
}

interface TierFacts {
  readonly thought: Thought
  /** Share of the guard of a hard build. */
  readonly share: number
  /** Null: the desk's own limit is enough. */
  readonly wall_minutes: number | null
  readonly recommended_for: string
  readonly why: string
}

const tierFacts: Readonly<Record<Tier, TierFacts>> = {
  // A change of code is read, written and tried a few times; half of what a hard one may take is ample.
  coding: tier('coding', 'much', 0.5, 'Code is read, changed and tried several times'),
  // Text is written once and read over; long thought makes it longer, not better.
  docs: tier('docs', 'little', 0.2, 'Text is written once and read over'),
  // Many short look-ups and one answer.
  research: tier('research', 'some', 0.3, 'Research is many short look-ups and one answer'),
  // Few steps, each of which decides much.
  design: tier('design', 'much', 0.4, 'A design is few steps that decide much'),
  // Tests are run again and again, and what they say is plain.
  test: tier('test', 'some', 0.4, 'Tests are run again and again, and say plainly what is wrong'),
  hard: {
    thought: 'most',
    share: 1,
    wall_minutes: 180,
    recommended_for: 'Work that a profile of its task type has failed at, or that is known to be hard.',
    why: 'Hard work may take the most thought and three hours',
  },
}

function tier(recommended_for: string, thought: Thought, share: number, why: string): TierFacts {
  return { thought, share, wall_minutes: null, recommended_for, why }
}

function profileOf(coder: Coder, name: Tier): CatalogProfile {
  const by = coderFacts[coder]
  const at = tierFacts[name]
  return {
    key: `${by.prefix}.${name}`,
    coder,
    recommended_for: [at.recommended_for],
    model: by.model,
    effort: by.effort[at.thought],
    guard: by.guard,
    limit_value: by.guard_value === null ? null : Math.round(by.guard_value * at.share),
    wall_minutes: at.wall_minutes,
    env: by.env,
    reason: `${at.why}; ${by.why}.`,
    refuses: by.refuses,
  }
}

/** PROF-G4: coder then tier, always in this order. */
export const catalog: readonly CatalogProfile[] = coders.flatMap((coder) =>
  tiers.map((name) => profileOf(coder, name)),
)

const byKey = new Map(catalog.map((profile) => [profile.key, profile]))

export const findInCatalog = (key: string): CatalogProfile | undefined => byKey.get(key)

/** PROF-31: the description of a hard profile is not a task type. */
const isHard = ({ key }: CatalogProfile): boolean => key.endsWith('.hard')

export const isForTask = (profile: CatalogProfile, taskType: string): boolean =>
  !isHard(profile) && profile.recommended_for.includes(taskType)

/** PROF-G3: both spellings of Claude are understood. */
export const isOfCoder = (profile: CatalogProfile, coder: string): boolean =>
  profile.coder === coder || coderFacts[profile.coder].prefix === coder
