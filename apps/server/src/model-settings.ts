import { z } from 'zod'
import { secret } from './secret-files.ts'
import { flag, url, whole } from './setting-forms.ts'

/** Credentials in it would get into error messages; there is a setting for the key. */
const modelUrl = url('http', 'https').refine(
  (text) => !URL.canParse(text) || (new URL(text).username === '' && new URL(text).password === ''),
  'must have no credentials in it',
)

/** Settings of models, a part of those in config.ts. */
export const modelSettings = {
  EMBEDDINGS: z
    .enum(['offline', 'url', 'off'])
    .default('offline')
    .describe(
      'What turns texts into vectors: `offline` the built-in English model, `url` the endpoint at EMBEDDINGS_URL, `off` nothing, so that search is by text only. See docs/models.md',
    ),
  EMBEDDINGS_URL: modelUrl
    .optional()
    .describe(
      'OpenAI-compatible endpoint for embeddings, including the version, such as `http://127.0.0.1:11434/v1`',
    ),
  EMBEDDINGS_API_KEY: z.string().optional().meta(secret('Key of that endpoint, if it wants one')),
  EMBEDDINGS_MODEL: z
    .string()
    .max(100)
    .optional()
    .describe('Model to ask that endpoint for; kept with every vector'),
  EMBEDDINGS_DIMENSIONS: whole(1024, 16)
    .refine((n) => n <= 3800, 'must be at most 3800')
    .describe('Dimension of the vectors of that model'),
  EMBEDDINGS_SEND_DIMENSIONS: flag(false).describe(
    'Ask the endpoint for vectors of this dimension; only for models that can shorten theirs',
  ),
  EMBEDDINGS_QUERY_PREFIX: z
    .string()
    .default('')
    .describe('Put before each query, for models that want it, such as `query: `'),
  EMBEDDINGS_DOCUMENT_PREFIX: z
    .string()
    .default('')
    .describe('Put before each text that is searched, for models that want it, such as `passage: `'),
  EMBEDDINGS_PIECE_CHARACTERS: whole(1500, 100).describe(
    'Longest text sent to the endpoint, within what the model reads; longer texts are cut into at most 16 pieces',
  ),
  EMBEDDINGS_CONCURRENCY: whole(4, 1).describe('Maximum concurrent requests to the endpoint per process'),
  EMBEDDINGS_QUERY_TIMEOUT_MS: whole(1500, 50).describe(
    'Maximum wait of a search for the vector of its query; past it the search is by text only',
  ),
  EMBEDDINGS_TIMEOUT_MS: whole(30_000, 50).describe(
    'Timeout of a request to the endpoint in background work',
  ),
  LLM_URL: modelUrl
    .optional()
    .describe(
      'OpenAI-compatible endpoint of a language model, including the version; without it recall is in the order of the search. See docs/models.md',
    ),
  LLM_API_KEY: z.string().optional().meta(secret('Key of that endpoint, if it wants one')),
  LLM_MODEL: z.string().max(100).optional().describe('Model to ask that endpoint for'),
  LLM_FORMAT: z
    .enum(['json_schema', 'json_object', 'prompt'])
    .default('json_schema')
    .describe(
      'How JSON is asked for: by its schema, as any JSON object, or in words alone, for servers that know no better',
    ),
  LLM_TOKEN_LIMIT_FIELD: z
    .enum(['max_tokens', 'max_completion_tokens'])
    .default('max_tokens')
    .describe('Name of the limit of tokens; newer models of OpenAI want `max_completion_tokens`'),
  LLM_TEMPERATURE: z
    .string()
    .regex(/^(?:[01](?:\.\d+)?|2(?:\.0+)?)$/, 'must be a number from 0 to 2')
    .transform(Number)
    .optional()
    .describe('Temperature; not sent if not set, because some models accept only their own'),
  LLM_CONCURRENCY: whole(8, 1).describe('Maximum concurrent requests to the language model per process'),
}
