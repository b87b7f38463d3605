/**
 * A kind of secret and how its values look. Hostile text costs no more than any other: a shape either ends with its
 * unbounded part, so it fails within the first few characters, or it begins only where no character of that part stands
 * before it, so each run of such characters is read once.
 */
export interface SecretShape {
  readonly kind: string
  readonly pattern: RegExp
}

const word = '[0-9A-Za-z_]'
const dashed = '[0-9A-Za-z_-]'
const dotted = '[0-9A-Za-z_.-]'

/** A fixed beginning, then at least so many characters of an alphabet. */
const begins = (kind: string, prefix: string, alphabet: string, least: number): SecretShape => ({
  kind,
  pattern: new RegExp(`(?<![0-9A-Za-z])(?:${prefix})${alphabet}{${least},}`, 'g'),
})

const shape = (kind: string, pattern: RegExp): SecretShape => ({ kind, pattern })

/** Values that say themselves what they are. */
export const valueShapes: readonly SecretShape[] = [
  begins('crewhall token', 'chp_', word, 20),
  begins('join secret', 'dsk_', dashed, 20),
  shape('webhook secret', /(?<![0-9A-Za-z])whsec_[\w+/=]{16,}/g),

  shape('aws access key', /(?<![0-9A-Za-z])(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}(?![0-9A-Za-z])/g),
  shape('aws bedrock key', /(?<![0-9A-Za-z])ABSK[\w+/=-]{40,}/g),
  shape('amazon mws token', /(?<![0-9A-Za-z])amzn\.mws\.[0-9a-f-]{36}/g),
  begins('google api key', 'AIza', dashed, 35),
  begins('google client secret', 'GOCSPX-', dashed, 20),
  begins('google access token', 'ya29\\.', dotted, 20),
  shape('google refresh token', /(?<![\w/-])1\/\/0[\w-]{30,}/g),
  shape('azure client secret', /(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{30,40}(?![\w~.-])/g),
  shape('azure devops token', /(?<![0-9A-Za-z])[0-9A-Za-z]{76}AZDO[0-9A-Za-z]{4}(?![0-9A-Za-z])/g),
  shape('azure signature', /(?<=[?&]sig=)[\w%+/=-]{30,}/g),
  shape('azure key', /(?<=(?:AccountKey|SharedAccessKey|EndpointKey)=)[\w+/=]{30,}/g),
  shape('alibaba key', /(?<![0-9A-Za-z])LTAI[0-9A-Za-z]{12,26}(?![0-9A-Za-z])/g),
  shape('tencent key', /(?<![0-9A-Za-z])AKID[0-9A-Za-z]{32}(?![0-9A-Za-z])/g),
  shape('digitalocean token', /(?<![0-9A-Za-z])do[opr]_v1_[0-9a-f]{64}/g),
  begins('render key', 'rnd_', word, 24),
  shape('heroku key', /(?<![0-9A-Za-z])HRKU-[\w-]{30,}/g),
  shape('fly token', /(?<![0-9A-Za-z])(?:fm[12][ar]?_|fo1_)[\w+/=-]{30,}/g),
  begins('tailscale key', 'tskey-(?:auth|api|client|scim|webhook)-', dashed, 16),
  shape('vault token', /(?<![0-9A-Za-z])hv[sbr]\.[\w-]{24,}/g),
  shape('terraform token', /(?<![0-9A-Za-z])[0-9A-Za-z]{14}\.atlasv1\.[\w-]{60,}/g),
  begins('pulumi token', 'pul-', '[0-9a-f-]', 36),
  shape('doppler token', /(?<![0-9A-Za-z])dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{30,}/g),
  begins('onepassword token', 'ops_eyJ', '[0-9A-Za-z_+/=-]', 40),
  shape('databricks token', /(?<![0-9A-Za-z])dapi[0-9a-f]{32}(?![0-9A-Za-z])/g),

  begins('github token', 'gh[pousr]_', word, 30),
  begins('github token', 'github_pat_', word, 40),
  begins('gitlab token', 'gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|oas|ffct)-', dotted, 18),
  shape('bitbucket token', /(?<![0-9A-Za-z])ATBB[\w=-]{28,}/g),
  shape('atlassian token', /(?<![0-9A-Za-z])ATATT3[\w=-]{60,}/g),
  begins('npm token', 'npm_', word, 36),
  begins('pypi token', 'pypi-AgE', dashed, 50),
  begins('rubygems key', 'rubygems_', '[0-9a-f]', 48),
  begins('docker token', 'dckr_[op]at_', dashed, 24),
  begins('clojars token', 'CLOJARS_', '[0-9a-z]', 60),
  shape('nuget key', /(?<![0-9A-Za-z])oy2[0-9a-z]{43}(?![0-9A-Za-z])/g),
  shape('jfrog key', /(?<![0-9A-Za-z])AKCp[0-9A-Za-z]{64,}/g),
  begins('sonar token', 'sq[upa]_', word, 40),
  begins('figma token', 'figd_', dashed, 36),
  begins('postman key', 'PMAK-', dashed, 50),
  begins('linear key', 'lin_(?:api|oauth)_', word, 32),
  shape('notion token', /(?<![0-9A-Za-z])(?:ntn_\d{10,}[0-9A-Za-z]{30,}|secret_[0-9A-Za-z]{43}(?!\w))/g),
  shape('airtable token', /(?<![0-9A-Za-z])pat[0-9A-Za-z]{14}\.[0-9a-f]{64}/g),
  begins('sentry token', 'sntry[us]_', '[0-9A-Za-z_+/=-]', 40),
  begins('grafana token', 'gl(?:c|sa)_', '[0-9A-Za-z_+/=]', 32),
  shape('new relic key', /(?<![0-9A-Za-z])(?:NRAK-[0-9A-Z]{27}|NRJS-[0-9a-f]{19}|NRII-[\w-]{32})/g),
  begins('dynatrace token', 'dt0[a-z]\\d\\d\\.[0-9A-Z]{24}\\.', '[0-9A-Z]', 60),
  begins('supabase key', 'sb(?:p|_secret|_publishable)_', dashed, 30),
  begins('planetscale secret', 'pscale_(?:tkn|pw|oauth)_', dotted, 32),
  begins('contentful token', 'CFPAT-', dashed, 40),
  begins('hubspot token', 'pat-[a-z]{2}\\d-', '[0-9a-f-]', 36),

  begins('anthropic key', 'sk-ant-', dashed, 20),
  begins('openai key', 'sk-(?:proj|svcacct|admin|None)-', dashed, 20),
  begins('openrouter key', 'sk-or-', dashed, 30),
  begins('langfuse key', 'sk-lf-', dashed, 36),
  shape('model key', /(?<![\w-])sk-(?=[0-9A-Za-z]*\d)[0-9A-Za-z]{32,}(?![\w-])/g),
  begins('hugging face token', 'hf_', word, 30),
  begins('groq key', 'gsk_', word, 40),
  begins('xai key', 'xai-', dashed, 60),
  begins('replicate token', 'r8_', word, 36),
  begins('perplexity key', 'pplx-', dashed, 40),

  begins('stripe key', '(?:sk|rk)_(?:live|test)_', word, 16),
  begins('square token', 'sq0(?:atp|csp|idp)-', dashed, 22),
  begins('shopify token', 'shp(?:at|ss|ca|pa|tka)_', word, 32),
  begins('easypost key', 'EZ[AT]K', word, 54),
  begins('shippo token', 'shippo_(?:live|test)_', word, 40),
  shape('braintree token', /(?<!\w)access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}/g),

  begins('slack token', 'xox[abeoprs]-', dashed, 20),
  begins('slack token', 'xoxe\\.xox[bp]-', dashed, 20),
  begins('slack token', 'xapp-', dashed, 30),
  shape('slack webhook', /(?<=hooks\.slack\.com\/(?:services|workflows|triggers)\/)[\w/]{30,}/g),
  shape('discord token', /(?<![\w.-])[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])/g),
  shape('discord webhook', /(?<=discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/\d{17,20}\/)[\w-]{50,}/g),
  shape('telegram token', /(?<![\w-])\d{8,10}:AA[\w-]{32,34}(?![\w-])/g),
  shape('twilio key', /(?<![0-9A-Za-z])SK[0-9a-f]{32}(?![0-9A-Za-z])/g),
  shape('sendgrid key', /(?<![0-9A-Za-z])SG\.[\w-]{16,32}\.[\w-]{32,}/g),
  shape('mailgun key', /(?<![\w-])key-[0-9a-z]{32}(?![\w-])/g),
  shape('mailchimp key', /(?<![0-9A-Za-z])[0-9a-f]{32}-us\d{1,2}(?!\w)/g),
  begins('brevo key', 'xkeysib-', '[0-9A-Za-z-]', 64),
  shape('facebook token', /(?<![0-9A-Za-z])EAA[A-Z][0-9A-Za-z]{80,}/g),

  shape('json web token', /(?<![\w.-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]*)?/g),
  begins('age key', 'AGE-SECRET-KEY-1', '[0-9A-Z]', 50),
]

/** Values that only their surroundings make a secret. What is kept of those stands in the look-behind. */
export const placedShapes: readonly SecretShape[] = [
  shape(
    'url password',
    /(?<=:\/\/[^\s/:@"'`<>]{0,200}:)(?![$<{[*%]|x{3})[^\s/@"'`<>[\]]{3,200}(?=@[\w.[-])/g,
  ),
  shape(
    'authorization',
    /(?<=\b(?:bearer|basic|apikey|negotiate)[ \t]{1,4})(?=[\w.~+/=-]*\d)[\w.~+/=-]{16,}/gi,
  ),
  shape(
    'authorization',
    /(?<=\bauthorization["']?[ \t]{0,4}[:=][ \t]{0,4}["']?token[ \t]{1,4})[\w.~+/=-]{16,}/gi,
  ),
  shape(
    'api key header',
    /(?<=\b(?:x-)?(?:api|auth)-?(?:key|token)["']?[ \t]{0,4}:[ \t]{0,4}["']?)(?=[\w.~+/=-]*\d)[\w.~+/=-]{16,}/gi,
  ),
  shape(
    'session cookie',
    /(?<=\bcookie["']?[ \t]{0,4}:[ \t]{0,4}["']?[\w.-]{1,40}=)(?=[\w.%~+/=-]*\d)[\w.%~+/=-]{16,}/gi,
  ),
  shape('npm token', /(?<=:_(?:authToken|auth|password)=)(?![$<{])[\w.~+/=-]{8,}/g),
  shape(
    'netrc password',
    /(?<=\bmachine[ \t]{1,4}\S{1,100}[ \t]{1,4}login[ \t]{1,4}\S{1,100}[ \t]{1,4}password[ \t]{1,4})(?!\[)\S{4,200}/g,
  ),
]
