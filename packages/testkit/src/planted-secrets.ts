/**
 * Secrets of every shape, for tests of the redaction. None is real, and each is put together while running, so that
 * no scanner of this repository finds one.
 */
export interface PlantedSecret {
  readonly name: string
  /** What a person would paste. */
  readonly text: string
  /** What must not be left of it: the secret part, or several lines of it. */
  readonly values: readonly string[]
}

const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const digits = '0123456789'
const hex = '0123456789abcdef'
const mixed = `${upper}${upper.toLowerCase()}${digits}`

let state = 20_261_116
/** The same characters in every run: a failure names the same text again. */
function some(alphabet: string, length: number): string {
  let text = ''
  while (text.length < length) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    text += alphabet[(state >>> 8) % alphabet.length] ?? ''
    // Shapes ask for digits and letters both; a random text may lack one.
    if (text.length === 3 && alphabet.includes('7')) text += '7'
  }
  return text.slice(0, length)
}

const whole = (name: string, ...parts: string[]): PlantedSecret => {
  const value = parts.join('')
  return { name, text: `Use ${value} for now.`, values: [value] }
}

const inside = (name: string, before: string, value: string, after = ''): PlantedSecret => ({
  name,
  text: `${before}${value}${after}`,
  values: [value],
})

const keyLines = (): string[] => Array.from({ length: 5 }, () => some(`${mixed}+/`, 64))
const mark = (edge: string, kind: string): string =>
  `${'-'.repeat(5)}${edge} ${kind}${'PRIVATE'} KEY${'-'.repeat(5)}`

function key(
  name: string,
  kind: string,
  parts: 'both' | 'no end' | 'no beginning',
  join = '\n',
): PlantedSecret {
  const lines = keyLines()
  const text = [
    ...(parts === 'no beginning' ? [] : [mark('BEGIN', kind)]),
    ...lines,
    ...(parts === 'no end' ? [] : [mark('END', kind)]),
  ].join(join)
  return { name, text: `The key:\n${text}\nThat was the key.`, values: lines }
}

export const plantedSecrets: readonly PlantedSecret[] = [
  whole('our token', 'chp', '_', some(mixed, 36)),
  whole('our join secret', 'dsk', '_', some(`${mixed}-_`, 43)),
  whole('our webhook secret', 'whsec', '_', some(mixed, 32)),
  whole('AWS access key', 'AK', 'IA', some(upper + digits, 16)),
  whole('AWS temporary key', 'AS', 'IA', some(upper + digits, 16)),
  inside('AWS secret key', 'aws_secret_access_key = ', some(mixed, 40)),
  whole('AWS Bedrock key', 'AB', 'SK', some(mixed, 60)),
  whole('Google API key', 'AI', 'za', some(mixed, 35)),
  whole('Google client secret', 'GOC', 'SPX-', some(mixed, 28)),
  whole('Google access token', 'ya', '29.', some(mixed, 60)),
  whole('Google refresh token', '1/', '/0', some(mixed, 40)),
  inside('Azure storage key', 'DefaultEndpointsProtocol=https;AccountKey=', `${some(mixed, 86)}==`, ';x=y'),
  inside('Azure signature', 'https://a.blob.core.windows.net/c?sv=2024&sig=', `${some(mixed, 43)}%3D`),
  whole('Azure client secret', some(mixed, 3), '8', 'Q~', some(mixed, 34)),
  whole('GitHub classic token', 'gh', 'p_', some(mixed, 36)),
  whole('GitHub OAuth token', 'gh', 'o_', some(mixed, 36)),
  whole('GitHub app token', 'gh', 's_', some(mixed, 36)),
  whole('GitHub refresh token', 'gh', 'r_', some(mixed, 40)),
  whole('GitHub fine-grained token', 'github', '_pat_', some(mixed, 22), '_', some(mixed, 59)),
  whole('GitLab token', 'gl', 'pat-', some(mixed, 20)),
  whole('GitLab runner token', 'gl', 'rt-', some(mixed, 20)),
  whole('Bitbucket token', 'AT', 'BB', some(mixed, 32)),
  whole('Atlassian token', 'AT', 'ATT3', some(mixed, 90)),
  whole('Slack bot token', 'xo', 'xb-', some(digits, 12), '-', some(mixed, 24)),
  whole('Slack user token', 'xo', 'xp-', some(digits, 12), '-', some(mixed, 32)),
  whole('Slack app token', 'xa', 'pp-1-', some(upper, 11), '-', some(hex, 40)),
  inside(
    'Slack webhook',
    'https://hooks.slack.com/services/',
    `T${some(upper, 8)}/B${some(upper, 8)}/${some(mixed, 24)}`,
  ),
  whole('Stripe live key', 'sk', '_live_', some(mixed, 24)),
  whole('Stripe test key', 'sk', '_test_', some(mixed, 24)),
  whole('Stripe restricted key', 'rk', '_live_', some(mixed, 24)),
  whole('OpenAI key', 'sk', '-', some(mixed, 48)),
  whole('OpenAI project key', 'sk', '-proj-', some(mixed, 60)),
  whole('Anthropic key', 'sk', '-ant-api03-', some(mixed, 80)),
  whole('Anthropic login token', 'sk', '-ant-oat01-', some(mixed, 80)),
  whole('OpenRouter key', 'sk', '-or-v1-', some(hex, 64)),
  whole('Hugging Face token', 'h', 'f_', some(mixed, 34)),
  whole('Groq key', 'gs', 'k_', some(mixed, 52)),
  whole('Replicate token', 'r', '8_', some(mixed, 37)),
  whole('npm token', 'np', 'm_', some(mixed, 36)),
  inside('npm login', '//npm.corp.test/:_authToken=', some(mixed, 30)),
  whole('PyPI token', 'py', 'pi-AgE', some(mixed, 120)),
  whole('RubyGems key', 'ruby', 'gems_', some(hex, 48)),
  whole('Docker token', 'dckr', '_pat_', some(mixed, 27)),
  whole('Twilio key', 'S', 'K', some(hex, 32)),
  whole('SendGrid key', 'S', 'G.', some(mixed, 22), '.', some(mixed, 43)),
  whole('Mailgun key', 'ke', 'y-', some(hex, 32)),
  whole('Mailchimp key', some(hex, 32), '-us', '14'),
  whole('Telegram bot token', some(digits, 10), ':A', 'A', some(mixed, 33)),
  whole('Discord bot token', 'M', some(mixed, 23), '.', some(mixed, 6), '.', some(mixed, 38)),
  inside('Discord webhook', `https://discord.com/api/webhooks/${some(digits, 18)}/`, some(mixed, 68)),
  whole('JSON web token', 'ey', 'J', some(mixed, 20), '.ey', 'J', some(mixed, 40), '.', some(mixed, 43)),
  whole('DigitalOcean token', 'do', 'p_v1_', some(hex, 64)),
  whole('Vault token', 'hv', 's.', some(mixed, 90)),
  whole('Terraform token', some(mixed, 14), '.atlas', 'v1.', some(mixed, 67)),
  whole('Databricks token', 'da', 'pi', some(hex, 32)),
  whole('Doppler token', 'd', 'p.pt.', some(mixed, 43)),
  whole('Shopify token', 'sh', 'pat_', some(hex, 32)),
  whole('Square token', 'sq', '0atp-', some(mixed, 22)),
  whole('Linear key', 'lin', '_api_', some(mixed, 40)),
  whole('Figma token', 'fi', 'gd_', some(mixed, 40)),
  whole('Sentry token', 'snt', 'rys_', some(mixed, 80)),
  whole('New Relic key', 'NR', 'AK-', some(upper, 27)),
  whole('Tailscale key', 'ts', 'key-auth-', some(mixed, 16), '-', some(mixed, 30)),
  whole('age key', 'AGE-SECRET', '-KEY-1', some(upper, 58)),
  key('RSA private key', 'RSA ', 'both'),
  key('private key', '', 'both'),
  key('OpenSSH private key', 'OPENSSH ', 'both'),
  key('private key without an end', 'EC ', 'no end'),
  key('private key without a beginning', '', 'no beginning'),
  key('quoted private key', 'RSA ', 'both', '\n> '),
  key('private key in JSON', '', 'both', '\\n'),
  key('numbered private key', '', 'both', '\n   12→'),
  inside('database address', 'DATABASE_URL=postgres://app:', some(mixed, 18), '@db.internal:5432/app'),
  inside('Mongo address', 'mongodb+srv://root:', some(mixed, 14), '@cluster0.mongodb.net/x'),
  inside('Redis address', 'redis://:', some(mixed, 20), '@cache:6379/0'),
  inside('basic-auth address', 'https://deploy:', some(mixed, 16), '@git.corp.test/team/repo.git'),
  inside('bearer header', 'curl -H "Authorization: Bearer ', some(mixed, 40), '" https://api.test'),
  inside('basic header', 'Authorization: Basic ', `${some(mixed, 30)}==`),
  inside('key header', 'X-Api-Key: ', some(mixed, 32)),
  inside('session cookie', 'Cookie: session=', some(mixed, 40)),
  inside('password in .env', 'DB_PASSWORD=', `${some(mixed, 9)}!`),
  inside('password in YAML', 'password: "', `Tr0ub4dor&${some(digits, 3)}`, '"'),
  inside(
    'password in a sentence',
    'The admin password is `',
    `winter-${some(digits, 4)}`,
    '`, please keep it.',
  ),
  inside('secret in code', "const clientSecret = '", some(mixed, 32), "'"),
  inside('token in JSON', '{"access_token": "', some(mixed, 40), '"}'),
  inside('API key in words', 'our API key: ', some(mixed, 32)),
  inside('netrc', 'machine git.corp.test login bot password ', some(mixed, 20)),
]

/** What looks like a secret to a hasty pattern and is none. Each must come back unchanged. */
export const secretLookAlikes: readonly string[] = [
  'no API key needed',
  'The token expires after 15 minutes.',
  'Set the password in the settings page.',
  'password is required',
  'the password is case-sensitive',
  'the password is base64-encoded before it is sent',
  'Enter your password: ********',
  'password: <your password>',
  ['password: $', '{DB_PASSWORD}'].join(''),
  'password = process.env.DB_PASSWORD',
  'apiKey: process.env.OPENAI_API_KEY',
  'const token = await getToken(user.id)',
  'token: string',
  'secret: z.string().min(1)',
  'api_key=YOUR_API_KEY',
  'API_KEY=your-key-here',
  'export TOKEN=$(cat token.txt)',
  'password=changeme',
  'secretName: postgres-credentials',
  'tokens: 4096',
  'max_tokens = 100000',
  'token_count: 1234567890',
  'token_type: bearer',
  'Authorization: Bearer <token>',
  'Authorization: Bearer $TOKEN',
  'Use Bearer authentication for this route.',
  'Basic authentication was removed in version 3',
  'commit 9fceb02d0ae598e95dc970b74767f19372d61af8',
  'see 4d5f893 and 772f3f3',
  'id 0198c5a2-7d3e-7c41-9a6b-2f1d4e5a6b7c',
  'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '"integrity": "sha512-Kf6n1QmXv0+8Jb2yPz3c4R5t6Y7u8I9o0P1a2S3d4F5g6H7j8K9l0Z1x2C3v4B5n6M7q8W9e0R1t2Y3u4I5o6P=="',
  'etag W/"5f3e-18c2a9b7d40"',
  'the sk- prefix marks a secret key',
  'task-runner and risk-assessment are words with sk- in them',
  'a disk-encryption-at-rest-with-customer-managed-keys policy',
  'ghp_ is the prefix of classic tokens',
  'tokens start with chp_ and have 36 characters',
  'xoxb tokens belong to bots',
  'AKIA is the prefix of access keys',
  'an AIza key is for maps',
  'eyJ is how a JWT begins',
  'postgres://localhost:5432/app',
  'postgres://app@db.internal/app',
  'postgres://user:<password>@host/db',
  ['postgres://user:$', '{PASSWORD}@host/db'].join(''),
  'https://example.com:8443/path@2x.png',
  'git@github.com:team/repo.git',
  'npm install @scope/package@1.2.3',
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGx0c29tZXB1YmxpY2tleQ me@laptop',
  'BEGIN PUBLIC KEY and END PUBLIC KEY',
  'Private key files have mode 0600',
  'the secret is stored in the vault under payments/production',
  'secretsmanager.get_secret_value(SecretId=name)',
  'PASSWORD_MIN_LENGTH=12345678',
  'passwordless login is enabled',
  'tokenizer: cl100k_base_with_special_tokens_2024',
  'primary key: (brand_id, id)',
  'cache key: user-profile-v2-2026-11-16-eu-west-1',
  'translation_key=settings.security.password.change.title',
  'data-testid="password-input-field-2"',
  'Retry-After: 120',
  'password_hash: varchar(255)',
  'os.environ["SECRET_KEY"]',
  'config.get("auth.token.secret")',
  'key-value store with 32 partitions',
  'us-east-1 and us14 are names of places',
  'Version 1.2.3+build.20261116 of the SDK',
  'token: {{ secrets.DEPLOY_TOKEN }}',
  'Cookie: theme=dark',
]
