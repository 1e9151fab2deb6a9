/* Chat as messages and messages as chat: what is said, and what is refused. */
#include "gateway/translation/translation.h"

#include "tests/unit.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Rows say ' for ". */
#define C SCHEMA_CHAT
#define M SCHEMA_MESSAGES

/* clang-format off */
static const struct question {
	const char *what;
	enum schema_kind to;
	const char *from, *want; /* want: of a refusal a part of the reason, behind ! */
} questions[] = {
	{ "a plain question", M, "{'model':'m','messages':[{'role':'system','content':'S'},{'role':'user','content':'q'}]}",
	  "{'messages':[{'role':'user','content':[{'type':'text','text':'q'}]}],'max_tokens':4096,'model':'m','system':[{'type':'text','text':'S'}]}" },
	{ "limits and wishes", M, "{'model':'m','messages':[],'max_completion_tokens':7,'temperature':0.5,'top_p':0.25,'stop':'x','stream':true,'stream_options':{'include_usage':true},'user':'u'}",
	  "{'messages':[],'max_tokens':7,'model':'m','temperature':0.5,'top_p':0.25,'stop_sequences':['x'],'stream':true,'metadata':{'user_id':'u'}}" },
	{ "calls and results of one turn", M,
	  "{'messages':[{'role':'assistant','content':null,'tool_calls':[{'id':'a','type':'function','function':{'name':'f','arguments':'{\\'x\\':1}'}},{'id':'b','type':'function','function':{'name':'g','arguments':''}}]},"
	  "{'role':'tool','tool_call_id':'a','content':'1'},{'role':'tool','tool_call_id':'b','content':[{'type':'text','text':'2'}]},{'role':'user','content':'so?'}]}",
	  "{'messages':[{'role':'assistant','content':[{'type':'tool_use','id':'a','name':'f','input':{'x':1}},{'type':'tool_use','id':'b','name':'g','input':{}}]},"
	  "{'role':'user','content':[{'type':'tool_result','tool_use_id':'a','content':[{'type':'text','text':'1'}]},{'type':'tool_result','tool_use_id':'b','content':[{'type':'text','text':'2'}]}]},"
	  "{'role':'user','content':[{'type':'text','text':'so?'}]}],'max_tokens':4096}" },
	{ "tools", M, "{'messages':[],'tools':[{'type':'function','function':{'name':'f','description':'D','parameters':{'type':'object'},'strict':false}}],'tool_choice':'required','parallel_tool_calls':false}",
	  "{'messages':[],'max_tokens':4096,'tools':[{'name':'f','input_schema':{'type':'object'},'description':'D'}],'tool_choice':{'type':'any','disable_parallel_tool_use':true}}" },
	{ "one tool by its name", M, "{'messages':[],'tools':[{'type':'function','function':{'name':'f'}}],'tool_choice':{'type':'function','function':{'name':'f'}}}",
	  "{'messages':[],'max_tokens':4096,'tools':[{'name':'f','input_schema':{'type':'object','properties':{}}}],'tool_choice':{'type':'tool','name':'f'}}" },
	{ "images", M, "{'messages':[{'role':'user','content':[{'type':'image_url','image_url':{'url':'data:image/png;base64,AA=='}},{'type':'image_url','image_url':{'url':'https://x/y','detail':'auto'}}]}]}",
	  "{'messages':[{'role':'user','content':[{'type':'image','source':{'type':'base64','media_type':'image/png','data':'AA=='}},{'type':'image','source':{'type':'url','url':'https://x/y'}}]}],'max_tokens':4096}" },
	{ "a coarse image", M, "{'messages':[{'role':'user','content':[{'type':'image_url','image_url':{'url':'https://x/y','detail':'low'}}]}]}", "!detail cannot" },
	{ "numbers as they are written", M, "{'model':'m','messages':[],'max_tokens':1e2,'temperature':0.7,'top_p':1E-1,'tools':[{'type':'function','function':{'name':'f','parameters':{'type':'object','properties':{'x':{'minimum':-0,'maximum':1e5,'default':19.99}}}}}]}",
	  "{'messages':[],'max_tokens':1e2,'model':'m','temperature':0.7,'top_p':1E-1,'tools':[{'name':'f','input_schema':{'type':'object','properties':{'x':{'minimum':-0,'maximum':1e5,'default':19.99}}}}]}" },
	{ "no number is an object", C, "{'messages':[{'role':'assistant','content':[{'type':'tool_use','id':'i','name':'f','input':1.5}]}]}", "!input: expected an object" },
	{ "choices that are one", M, "{'messages':[],'n':1.0}", "{'messages':[],'max_tokens':4096}" },
	{ "two choices", M, "{'messages':[],'n':2.0}", "!n cannot be said" },
	{ "what is so anyway", M, "{'messages':[],'n':1,'logprobs':false,'frequency_penalty':0,'presence_penalty':0.0,'response_format':{'type':'text'},'store':false,'seed':null,'service_tier':'auto'}",
	  "{'messages':[],'max_tokens':4096}" },
	{ "what says nothing",   M, "{'messages':[{'role':'assistant','content':'a','annotations':[],'refusal':null},{'role':'user','content':'q'}],'functions':[]}",
	  "{'messages':[{'role':'assistant','content':[{'type':'text','text':'a'}]},{'role':'user','content':[{'type':'text','text':'q'}]}],'max_tokens':4096}" },
	{ "two choices",         M, "{'messages':[],'n':2}", "!n cannot" },
	{ "a schema",            M, "{'messages':[],'response_format':{'type':'json_object'}}", "!response_format cannot" },
	{ "a seed",              M, "{'messages':[],'seed':1}", "!seed cannot" },
	{ "hotter than there is", M, "{'messages':[],'temperature':1.5}", "!temperature above 1" },
	{ "what nobody knows",   M, "{'messages':[],'later':1}", "!later cannot" },
	{ "strict tools",        M, "{'messages':[],'tools':[{'type':'function','function':{'name':'f','strict':true}}]}", "!strict" },
	{ "a tool that is none", M, "{'messages':[],'tools':[{'type':'custom','custom':{}}]}", "!custom" },
	{ "late instructions",   M, "{'messages':[{'role':'user','content':'q'},{'role':'system','content':'s'}]}", "!instructions behind" },
	{ "sound",               M, "{'messages':[{'role':'user','content':[{'type':'input_audio','input_audio':{}}]}]}", "!input_audio" },
	{ "a name of a user",    M, "{'messages':[{'role':'user','name':'n','content':'q'}]}", "!name cannot" },
	{ "broken arguments",    M, "{'messages':[{'role':'assistant','tool_calls':[{'id':'a','function':{'name':'f','arguments':'{'}}]}]}", "!expected a JSON object" },
	{ "an old role",         M, "{'messages':[{'role':'function','name':'f','content':'q'}]}", "!role: function" },
	{ "no object",           M, "[]", "!expected a JSON object" },
	{ "a name twice",        M, "{'messages':[],'messages':[]}", "!expected a JSON object" },

	{ "a plain one back", C, "{'model':'m','max_tokens':9,'system':'S','messages':[{'role':'user','content':'q'},{'role':'assistant','content':[{'type':'text','text':'a'}]},{'role':'user','content':'q'}]}",
	  "{'messages':[{'role':'system','content':'S'},{'role':'user','content':'q'},{'role':'assistant','content':'a'},{'role':'user','content':'q'}],'model':'m','max_tokens':9}" },
	{ "marks for a cache", C, "{'system':[{'type':'text','text':'A','cache_control':{'type':'ephemeral'}},{'type':'text','text':'B'}],'messages':[]}",
	  "{'messages':[{'role':'system','content':[{'type':'text','text':'A'},{'type':'text','text':'B'}]}]}" },
	{ "results come first", C, "{'messages':[{'role':'assistant','content':[{'type':'text','text':'a'},{'type':'tool_use','id':'i','name':'f','input':{'x':1}}]},{'role':'user','content':[{'type':'tool_result','tool_use_id':'i','content':'r'},{'type':'text','text':'so?'}]}]}",
	  "{'messages':[{'role':'assistant','content':'a','tool_calls':[{'id':'i','type':'function','function':{'name':'f','arguments':'{\\'x\\':1}'}}]},{'role':'tool','tool_call_id':'i','content':'r'},{'role':'user','content':'so?'}]}" },
	{ "tools and wishes back", C, "{'messages':[],'tools':[{'name':'f','description':'D','input_schema':{'type':'object'}}],'tool_choice':{'type':'any','disable_parallel_tool_use':true},'stop_sequences':['x'],'metadata':{'user_id':'u'},'thinking':{'type':'disabled'}}",
	  "{'messages':[],'stop':['x'],'tools':[{'type':'function','function':{'name':'f','description':'D','parameters':{'type':'object'}}}],'parallel_tool_calls':false,'tool_choice':'required','user':'u'}" },
	{ "a stream is to be counted", C, "{'messages':[],'stream':true}", "{'messages':[],'stream_options':{'include_usage':true},'stream':true}" },
	{ "an image back", C, "{'messages':[{'role':'user','content':[{'type':'image','source':{'type':'base64','media_type':'image/png','data':'AA=='}}]}]}",
	  "{'messages':[{'role':'user','content':[{'type':'image_url','image_url':{'url':'data:image/png;base64,AA=='}}]}]}" },
	{ "thinking",            C, "{'messages':[],'thinking':{'type':'enabled','budget_tokens':1024}}", "!thinking cannot" },
	{ "top_k",               C, "{'messages':[],'top_k':4}", "!top_k cannot" },
	{ "a tool that failed",  C, "{'messages':[{'role':'user','content':[{'type':'tool_result','tool_use_id':'i','is_error':true,'content':'r'}]}]}", "!is_error" },
	{ "thoughts of before",  C, "{'messages':[{'role':'assistant','content':[{'type':'thinking','thinking':'h','signature':'s'}]}]}", "!thinking" },
	{ "text behind a call",  C, "{'messages':[{'role':'assistant','content':[{'type':'tool_use','id':'i','name':'f','input':{}},{'type':'text','text':'a'}]}]}", "!behind a tool_use" },
	{ "a result behind text", C, "{'messages':[{'role':'user','content':[{'type':'text','text':'a'},{'type':'tool_result','tool_use_id':'i','content':'r'}]}]}", "!tool_result behind" },
	{ "a document",          C, "{'messages':[{'role':'user','content':[{'type':'document','source':{}}]}]}", "!document" },
	{ "a tool of theirs",    C, "{'messages':[],'tools':[{'type':'web_search_20250305','name':'w'}]}", "!web_search" },
	{ "tools that are none", C, "{'messages':[],'tools':'x'}", "!tools: expected a list" },
	{ "a turn without a block", C, "{'messages':[{'role':'user','content':[]},{'role':'user','content':'q'}]}", "!expected a block" },
	{ "nobody's role",       C, "{'messages':[{'role':'system','content':'x'}]}", "!user and assistant" },
};

/* What the assistant says at the end is the beginning of the answer. */
#define PREFIX CONTINUATION_DEEPSEEK
#define PREFILL CONTINUATION_PREFILL
#define FINAL CONTINUATION_FINAL
#define Q "{'role':'user','content':'q'}"
#define QS "{'role':'user','content':[{'type':'text','text':'q'}]}"
#define BEGUN_MESSAGES(content) "{'messages':[" Q ",{'role':'assistant','content':" content "}]}"
static const struct beginning {
	const char *what;
	struct translation_target to; /* is_begun: what is to be told */
	const char *from, *want;
} beginnings[] = {
	{ "by prefix", { C, PREFIX, true }, BEGUN_MESSAGES("'a '"), "{'messages':[" Q ",{'role':'assistant','content':'a ','prefix':true}]}" },
	{ "by prefill", { C, PREFILL, true }, BEGUN_MESSAGES("[{'type':'text','text':'a'}]"), "{'messages':[" Q ",{'role':'assistant','content':'a'}]}" },
	{ "by continue_final_message", { C, FINAL, true }, BEGUN_MESSAGES("'a'"), "{'messages':[" Q ",{'role':'assistant','content':'a'}],'continue_final_message':true,'add_generation_prompt':false}" },
	{ "by nothing", { C, CONTINUATION_NOT, true }, BEGUN_MESSAGES("'a'"), "!does not go on from words" },
	{ "in two blocks", { C, PREFILL, true }, BEGUN_MESSAGES("[{'type':'text','text':'a'},{'type':'text','text':'b'}]"), "!several blocks" },
	{ "an empty one is none", { C, FINAL, false }, BEGUN_MESSAGES("''"), "{'messages':[" Q "]}" },
	{ "an empty one for nobody", { C, CONTINUATION_NOT, false }, BEGUN_MESSAGES("[]"), "{'messages':[" Q "]}" },
	{ "no blocks are none", { C, FINAL, false }, BEGUN_MESSAGES("[]"), "{'messages':[" Q "]}" },
	{ "a call at the end", { C, PREFILL, false }, BEGUN_MESSAGES("[{'type':'tool_use','id':'i','name':'f','input':{}}]"), "!a call at the end" },
	{ "not the last one", { C, PREFIX, false }, "{'messages':[" Q ",{'role':'assistant','content':'a'}," Q "]}", "{'messages':[" Q ",{'role':'assistant','content':'a'}," Q "]}" },
	{ "nobody says anything", { C, PREFIX, false }, "{'messages':[]}", "{'messages':[]}" },
	{ "prefix as prefill", { M, PREFILL, true }, "{'messages':[" Q ",{'role':'assistant','content':'a','prefix':true}]}", "{'messages':[" QS ",{'role':'assistant','content':[{'type':'text','text':'a'}]}],'max_tokens':4096}" },
	{ "continue_final_message as prefill", { M, PREFILL, true }, "{'messages':[" Q ",{'role':'assistant','content':'a'}],'continue_final_message':true,'add_generation_prompt':false}",
	  "{'messages':[" QS ",{'role':'assistant','content':[{'type':'text','text':'a'}]}],'max_tokens':4096}" },
	{ "what chat does not go on from", { M, PREFILL, false }, BEGUN_MESSAGES("'a'"), "!says that it shall" },
	{ "who does not go on", { M, CONTINUATION_NOT, true }, "{'messages':[" Q ",{'role':'assistant','content':'a','prefix':true}]}", "!does not go on" },
	{ "in no way that messages has", { M, PREFIX, true }, "{'messages':[" Q ",{'role':'assistant','content':'a','prefix':true}]}", "!cannot be said" },
	{ "a prefix in the midst", { M, PREFILL, false }, "{'messages':[{'role':'assistant','content':'a','prefix':true}," Q "]}", "!expected at the last" },
	{ "nothing to go on from", { M, PREFILL, false }, "{'messages':[" Q "],'continue_final_message':true}", "!expected words of the assistant" },
	{ "a prompt that is left out", { M, PREFILL, false }, "{'messages':[" Q "],'add_generation_prompt':false}", "!add_generation_prompt" },
	{ "what is so anyway", { M, PREFILL, false }, "{'messages':[" Q "],'continue_final_message':false,'add_generation_prompt':true}", "{'messages':[" QS "],'max_tokens':4096}" },
};

static const struct answer {
	const char *what;
	enum schema_kind to;
	const char *from, *want; /* NULL: it is none; behind !: what has no word */
} answers[] = {
	{ "text and a call", C, "{'id':'i','type':'message','model':'m','content':[{'type':'text','text':'a'},{'type':'tool_use','id':'t','name':'f','input':{'x':[1]}}],'stop_reason':'tool_use','usage':{'input_tokens':7,'cache_read_input_tokens':4,'output_tokens':29}}",
	  "{'id':'i','object':'chat.completion','created':9,'model':'m','choices':[{'index':0,'message':{'role':'assistant','content':'a','tool_calls':[{'id':'t','type':'function','function':{'name':'f','arguments':'{\\'x\\':[1]}'}}]},'finish_reason':'tool_calls'}],'usage':{'prompt_tokens':11,'completion_tokens':29,'total_tokens':40,'prompt_tokens_details':{'cached_tokens':4}}}" },
	{ "a thought", C, "{'id':'i','model':'m','content':[{'type':'thinking','thinking':'h','signature':'s'},{'type':'text','text':'a'}],'stop_reason':'end_turn'}",
	  "{'id':'i','object':'chat.completion','created':9,'model':'m','choices':[{'index':0,'message':{'role':'assistant','content':'a','reasoning_content':'h'},'finish_reason':'stop'}],'usage':{'prompt_tokens':3,'completion_tokens':5,'total_tokens':8,'prompt_tokens_details':{'cached_tokens':0}}}" },
	{ "a search of theirs", C, "{'content':[{'type':'server_tool_use'}]}", "!server_tool_use" },
	{ "words with their sources", C, "{'content':[{'type':'text','text':'a','citations':[{'type':'char_location','cited_text':'b'}]}],'stop_reason':'end_turn'}", "!citations" },
	{ "sources of theirs",  M, "{'choices':[{'message':{'content':'a','annotations':[{'type':'url_citation'}]},'finish_reason':'stop'}]}", "!annotations" },
	{ "no sources, and no reason to end", C, "{'id':'i','model':'m','content':[{'type':'text','text':'a','citations':null}],'stop_reason':null}",
	  "{'id':'i','object':'chat.completion','created':9,'model':'m','choices':[{'index':0,'message':{'role':'assistant','content':'a'},'finish_reason':null}],'usage':{'prompt_tokens':3,'completion_tokens':5,'total_tokens':8,'prompt_tokens_details':{'cached_tokens':0}}}" },
	{ "the same back", M, "{'id':'i','model':'m','choices':[{'message':{'content':'a','annotations':[]},'finish_reason':null}]}",
	  "{'id':'i','type':'message','role':'assistant','model':'m','content':[{'type':'text','text':'a'}],'stop_reason':null,'stop_sequence':null,'usage':{'input_tokens':3,'cache_creation_input_tokens':0,'cache_read_input_tokens':0,'output_tokens':5}}" },
	{ "an error",           C, "{'type':'error','error':{'type':'x','message':'y'},'content':[]}", NULL },
	{ "no answer",          C, "{'choices':[]}", NULL },
	{ "no JSON",            C, "x", NULL },
	{ "text and a call back", M, "{'id':'i','model':'m','choices':[{'index':0,'message':{'role':'assistant','content':'a','reasoning_content':'h','tool_calls':[{'id':'t','type':'function','function':{'name':'f','arguments':'{\\'x\\':1}'}}]},'finish_reason':'tool_calls'}],'usage':{'prompt_tokens':11,'completion_tokens':29,'prompt_tokens_details':{'cached_tokens':4}}}",
	  "{'id':'i','type':'message','role':'assistant','model':'m','content':[{'type':'text','text':'a'},{'type':'tool_use','id':'t','name':'f','input':{'x':1}}],'stop_reason':'tool_use','stop_sequence':null,'usage':{'input_tokens':7,'cache_creation_input_tokens':0,'cache_read_input_tokens':4,'output_tokens':29}}" },
	{ "a call that just stops", M, "{'id':'i','model':'m','choices':[{'message':{'content':null,'tool_calls':[{'id':'t','function':{'name':'f','arguments':'{}'}}]},'finish_reason':'stop'}],'usage':{'prompt_tokens':1,'completion_tokens':2}}",
	  "{'id':'i','type':'message','role':'assistant','model':'m','content':[{'type':'tool_use','id':'t','name':'f','input':{}}],'stop_reason':'tool_use','stop_sequence':null,'usage':{'input_tokens':1,'cache_creation_input_tokens':0,'cache_read_input_tokens':0,'output_tokens':2}}" },
	{ "a refusal", M, "{'id':'i','model':'m','choices':[{'message':{'content':null,'refusal':'no'},'finish_reason':'stop'}]}",
	  "{'id':'i','type':'message','role':'assistant','model':'m','content':[{'type':'text','text':'no'}],'stop_reason':'refusal','stop_sequence':null,'usage':{'input_tokens':3,'cache_creation_input_tokens':0,'cache_read_input_tokens':0,'output_tokens':5}}" },
	{ "counts that are none", M, "{'id':'i','model':'m','choices':[{'message':{'content':'a'},'finish_reason':'stop'}],'usage':{'prompt_tokens':-1,'completion_tokens':7}}",
	  "{'id':'i','type':'message','role':'assistant','model':'m','content':[{'type':'text','text':'a'}],'stop_reason':'end_turn','stop_sequence':null,'usage':{'input_tokens':3,'cache_creation_input_tokens':0,'cache_read_input_tokens':0,'output_tokens':5}}" },
	{ "what a tree cannot have", C, "{'x':-1e999,'x':[99999999999999999999],'id':'i','model':'\xef\xb7\x90','content':[{'type':'text','text':'\\ud83d'},{'type':'tool_use','id':'t','name':'f','input':{'n':99999999999999999999999,'\\u0000':'\\ude00','\xef\xb7\x91':'1'}}],'stop_reason':'tool_use','usage':{'input_tokens':7,'output_tokens':29}}",
	  "{'id':'i','object':'chat.completion','created':9,'model':'\\ufdd0','choices':[{'index':0,'message':{'role':'assistant','content':'\\ud83d','tool_calls':[{'id':'t','type':'function','function':{'name':'f','arguments':'{\\'n\\':99999999999999999999999,\\'\\\\u0000\\':\\'\\\\ude00\\',\\'\\\\ufdd1\\':\\'1\\'}'}}]},'finish_reason':'tool_calls'}],'usage':{'prompt_tokens':7,'completion_tokens':29,'total_tokens':36,'prompt_tokens_details':{'cached_tokens':0}}}" },
	{ "the same back", M, "{'id':'i','model':'m','choices':[{'message':{'content':'\\ude00','tool_calls':[{'id':'t','function':{'name':'f','arguments':'{\\'n\\':1e999,\\'s\\':\\'\\ud83d\\',\\'t\\':\\'\\\\ud83d\\',\\'u\\':\\'\\ud83d\\ude00\\'}'}},{'id':'u','function':{'name':'g','arguments':{'x':1}}}]},'finish_reason':'tool_calls'}],'usage':{'prompt_tokens':11,'completion_tokens':29}}",
	  "{'id':'i','type':'message','role':'assistant','model':'m','content':[{'type':'text','text':'\\ude00'},{'type':'tool_use','id':'t','name':'f','input':{'n':1e999,'s':'\\ud83d','t':'\\ud83d','u':'\xf0\x9f\x98\x80'}},{'type':'tool_use','id':'u','name':'g','input':{'x':1}}],'stop_reason':'tool_use','stop_sequence':null,'usage':{'input_tokens':11,'cache_creation_input_tokens':0,'cache_read_input_tokens':0,'output_tokens':29}}" },
	{ "a call of nothing",  C, "{'content':[{'type':'tool_use','id':'t','input':{}}]}", "!a call of nothing" },
	{ "a call without input", C, "{'content':[{'type':'tool_use','id':'t','name':'f'}]}", "!a call of nothing" },
	{ "a call of before",   M, "{'choices':[{'message':{'content':null,'function_call':{'name':'f','arguments':'{}'}},'finish_reason':'function_call'}]}", "!function_call" },
	{ "a tool of another kind", M, "{'choices':[{'message':{'tool_calls':[{'id':'t','type':'custom','custom':{'name':'f','input':'x'}}]}}]}", "!a call of nothing" },
	{ "a number for arguments", M, "{'choices':[{'message':{'tool_calls':[{'id':'t','function':{'name':'f','arguments':7}}]}}]}", "!arguments that are no object" },
	{ "broken arguments",  M, "{'choices':[{'message':{'tool_calls':[{'id':'t','function':{'name':'f','arguments':'{'}}]}}]}", "!arguments that are no object" },
	{ "a turn that pauses", C, "{'content':[{'type':'text','text':'a'}],'stop_reason':'pause_turn'}", "!pause_turn" },
	{ "an end of the server's", M, "{'choices':[{'message':{'content':'a'},'finish_reason':'abort'}]}", "!abort" },
	{ "a word that servers have for it", M, "{'id':'i','model':'m','choices':[{'message':{'content':'a'},'finish_reason':'eos_token'}],'usage':{'prompt_tokens':1}}",
	  "{'id':'i','type':'message','role':'assistant','model':'m','content':[{'type':'text','text':'a'}],'stop_reason':'end_turn','stop_sequence':null,'usage':{'input_tokens':1,'cache_creation_input_tokens':0,'cache_read_input_tokens':0,'output_tokens':5}}" },
	{ "half of it counted", C, "{'id':'i','model':'m','content':[{'type':'text','text':'a'}],'stop_reason':'end_turn','usage':{'input_tokens':null,'output_tokens':29}}",
	  "{'id':'i','object':'chat.completion','created':9,'model':'m','choices':[{'index':0,'message':{'role':'assistant','content':'a'},'finish_reason':'stop'}],'usage':{'prompt_tokens':3,'completion_tokens':29,'total_tokens':32,'prompt_tokens_details':{'cached_tokens':0}}}" },
	{ "two choices",       M, "{'choices':[{'message':{'content':'a'}},{'message':{'content':'b'}}]}", "!a second choice" },
};

#define MEV(type, more) "event: " type "\ndata: {'type':'" type "'" more "}\n\n"
#define CEV(choice) "data: {'id':'i','object':'chat.completion.chunk','created':9,'model':'m','choices':[" choice "]}\n\n"
#define DEL(delta, finish) CEV("{'index':0,'delta':" delta ",'finish_reason':" finish "}")
#define IN(choice) "data: {'id':'i','model':'m','choices':[" choice "]}\n\n"
#define BEGUN MEV("message_start", ",'message':{'id':'i','type':'message','role':'assistant','model':'m','content':[],'stop_reason':null,'stop_sequence':null,'usage':{'input_tokens':0,'output_tokens':0}}")
#define BEGAN MEV("message_start", ",'message':{'id':'i','model':'m','usage':{'input_tokens':7,'output_tokens':1}}")

static const struct stream {
	const char *what;
	enum schema_kind to;
	const char *from, *want;
} streams[] = {
	{ "text and a call", C, BEGAN MEV("ping", "") ": hm\n\n"
	  MEV("content_block_start", ",'index':0,'content_block':{'type':'thinking','thinking':''}") MEV("content_block_delta", ",'index':0,'delta':{'type':'thinking_delta','thinking':'h'}")
	  MEV("content_block_delta", ",'index':0,'delta':{'type':'signature_delta','signature':'s'}") MEV("content_block_stop", ",'index':0")
	  MEV("content_block_start", ",'index':1,'content_block':{'type':'text','text':''}") MEV("content_block_delta", ",'index':1,'delta':{'type':'text_delta','text':'a'}") MEV("content_block_stop", ",'index':1")
	  MEV("content_block_start", ",'index':2,'content_block':{'type':'tool_use','id':'t','name':'f','input':{}}") MEV("content_block_delta", ",'index':2,'delta':{'type':'input_json_delta','partial_json':'{\\'x'}") MEV("content_block_stop", ",'index':2")
	  MEV("content_block_start", ",'index':3,'content_block':{'type':'tool_use','id':'u','name':'g','input':{}}") MEV("content_block_stop", ",'index':3")
	  MEV("message_delta", ",'delta':{'stop_reason':'tool_use'},'usage':{'output_tokens':29}") MEV("message_stop", ""),
	  DEL("{'role':'assistant','content':''}", "null") ": hm\n\n" DEL("{'reasoning_content':'h'}", "null") DEL("{'content':'a'}", "null")
	  DEL("{'tool_calls':[{'index':0,'id':'t','type':'function','function':{'name':'f','arguments':''}}]}", "null") DEL("{'tool_calls':[{'index':0,'function':{'arguments':'{\\'x'}}]}", "null")
	  DEL("{'tool_calls':[{'index':1,'id':'u','type':'function','function':{'name':'g','arguments':''}}]}", "null") DEL("{'tool_calls':[{'index':1,'function':{'arguments':'{}'}}]}", "null")
	  DEL("{}", "'tool_calls'") "data: {'id':'i','object':'chat.completion.chunk','created':9,'model':'m','choices':[],'usage':{'prompt_tokens':7,'completion_tokens':29,'total_tokens':36,'prompt_tokens_details':{'cached_tokens':0}}}\n\n"
	  "data: [DONE]\n\n" },
	{ "an error, and nothing behind it", C, BEGAN MEV("error", ",'error':{'type':'overloaded_error','message':'busy'}") MEV("content_block_delta", ",'index':0,'delta':{'type':'text_delta','text':'a'}"),
	  DEL("{'role':'assistant','content':''}", "null") "data: {'error':{'message':'busy','type':'upstream_error','param':null,'code':'overloaded_error'}}\n\n" },
	{ "a block of another kind", C, MEV("content_block_start", ",'index':0,'content_block':{'type':'server_tool_use'}"),
	  "data: {'error':{'message':'the answer has what this API has no word for: server_tool_use','type':'upstream_error','param':null,'code':'untranslatable'}}\n\n" },
	{ "a source of theirs", C, MEV("content_block_delta", ",'index':0,'delta':{'type':'citations_delta','citation':{}}"),
	  "data: {'error':{'message':'the answer has what this API has no word for: citations_delta','type':'upstream_error','param':null,'code':'untranslatable'}}\n\n" },
	{ "a source of theirs back", M, IN("{'index':0,'delta':{'content':'a','annotations':[{'type':'url_citation'}]}}"),
	  BEGUN MEV("error", ",'error':{'type':'api_error','message':'the answer has what this API has no word for: annotations'}") },
	{ "a turn that pauses", C, BEGAN MEV("content_block_delta", ",'index':0,'delta':{'type':'text_delta','text':'a'}") MEV("message_delta", ",'delta':{'stop_reason':'pause_turn'},'usage':{'output_tokens':29}") MEV("message_stop", ""),
	  DEL("{'role':'assistant','content':''}", "null") DEL("{'content':'a'}", "null") "data: {'error':{'message':'the answer has what this API has no word for: pause_turn','type':'upstream_error','param':null,'code':'untranslatable'}}\n\n" },
	{ "no reason to end", C, BEGAN MEV("content_block_delta", ",'index':0,'delta':{'type':'text_delta','text':'a'}") MEV("message_delta", ",'delta':{'stop_reason':null},'usage':{'output_tokens':29}") MEV("message_stop", ""),
	  DEL("{'role':'assistant','content':''}", "null") DEL("{'content':'a'}", "null")
	  "data: {'id':'i','object':'chat.completion.chunk','created':9,'model':'m','choices':[],'usage':{'prompt_tokens':7,'completion_tokens':29,'total_tokens':36,'prompt_tokens_details':{'cached_tokens':0}}}\n\n"
	  "data: [DONE]\n\n" },
	{ "no reason to end back", M, IN("{'index':0,'delta':{'content':'a','annotations':[]},'finish_reason':null}") "data: [DONE]\n\n",
	  BEGUN MEV("content_block_start", ",'index':0,'content_block':{'type':'text','text':''}") MEV("content_block_delta", ",'index':0,'delta':{'type':'text_delta','text':'a'}") MEV("content_block_stop", ",'index':0")
	  MEV("message_delta", ",'delta':{'stop_reason':null,'stop_sequence':null},'usage':{'input_tokens':3,'cache_creation_input_tokens':0,'cache_read_input_tokens':0,'output_tokens':1}") MEV("message_stop", "") },
	{ "cut", C, BEGAN MEV("content_block_delta", ",'index':0,'delta':{'type':'text_delta','text':'a'}"), DEL("{'role':'assistant','content':''}", "null") DEL("{'content':'a'}", "null") },
	{ "no JSON", C, "event: x\ndata: {nonsense\n\n", "event: x\ndata: {nonsense\n\n" },
	{ "text and calls back", M, IN("{'index':0,'delta':{'role':'assistant','content':''},'finish_reason':null}") IN("{'index':0,'delta':{'reasoning_content':'h'}}") IN("{'index':0,'delta':{'content':'a'}}") IN("{'index':0,'delta':{'content':'b'}}")
	  IN("{'index':0,'delta':{'tool_calls':[{'index':0,'id':'t','type':'function','function':{'name':'f','arguments':''}}]}}") IN("{'index':0,'delta':{'tool_calls':[{'index':0,'function':{'arguments':'{\\'x'}}]}}")
	  IN("{'index':0,'delta':{},'finish_reason':'tool_calls'}") "data: {'id':'i','choices':[],'usage':{'prompt_tokens':11,'completion_tokens':29}}\n\ndata: [DONE]\n\n",
	  BEGUN MEV("content_block_start", ",'index':0,'content_block':{'type':'text','text':''}") MEV("content_block_delta", ",'index':0,'delta':{'type':'text_delta','text':'a'}") MEV("content_block_delta", ",'index':0,'delta':{'type':'text_delta','text':'b'}")
	  MEV("content_block_stop", ",'index':0") MEV("content_block_start", ",'index':1,'content_block':{'type':'tool_use','id':'t','name':'f','input':{}}") MEV("content_block_delta", ",'index':1,'delta':{'type':'input_json_delta','partial_json':'{\\'x'}")
	  MEV("content_block_stop", ",'index':1") MEV("message_delta", ",'delta':{'stop_reason':'tool_use','stop_sequence':null},'usage':{'input_tokens':11,'cache_creation_input_tokens':0,'cache_read_input_tokens':0,'output_tokens':29}") MEV("message_stop", "") },
	{ "a call that just stops", M, IN("{'index':0,'delta':{'tool_calls':[{'index':0,'id':'t','function':{'name':'f','arguments':'{}'}}]}}") IN("{'index':0,'delta':{},'finish_reason':'stop'}") "data: [DONE]\n\n",
	  BEGUN MEV("content_block_start", ",'index':0,'content_block':{'type':'tool_use','id':'t','name':'f','input':{}}") MEV("content_block_delta", ",'index':0,'delta':{'type':'input_json_delta','partial_json':'{}'}") MEV("content_block_stop", ",'index':0")
	  MEV("message_delta", ",'delta':{'stop_reason':'tool_use','stop_sequence':null},'usage':{'input_tokens':3,'cache_creation_input_tokens':0,'cache_read_input_tokens':0,'output_tokens':2}") MEV("message_stop", "") },
	{ "finished without its last line", M, IN("{'index':0,'delta':{'content':'a'},'finish_reason':'stop'}"),
	  BEGUN MEV("content_block_start", ",'index':0,'content_block':{'type':'text','text':''}") MEV("content_block_delta", ",'index':0,'delta':{'type':'text_delta','text':'a'}") MEV("content_block_stop", ",'index':0")
	  MEV("message_delta", ",'delta':{'stop_reason':'end_turn','stop_sequence':null},'usage':{'input_tokens':3,'cache_creation_input_tokens':0,'cache_read_input_tokens':0,'output_tokens':1}") MEV("message_stop", "") },
	{ "half an emoji, and what nobody can count", M, IN("{'index':0,'delta':{'content':'\\ud83d'}}") "data: {'id':'i','x':1,'x':99999999999999999999999,'choices':[{'index':0,'delta':{'content':'\\ude00'},'logprob':-1e999}]}\n\n" IN("{'index':0,'delta':{},'finish_reason':'stop'}") "data: {'choices':[],'usage':null}\n\ndata: [DONE]\n\n",
	  BEGUN MEV("content_block_start", ",'index':0,'content_block':{'type':'text','text':''}") MEV("content_block_delta", ",'index':0,'delta':{'type':'text_delta','text':'\\ud83d'}") MEV("content_block_delta", ",'index':0,'delta':{'type':'text_delta','text':'\\ude00'}") MEV("content_block_stop", ",'index':0")
	  MEV("message_delta", ",'delta':{'stop_reason':'end_turn','stop_sequence':null},'usage':{'input_tokens':3,'cache_creation_input_tokens':0,'cache_read_input_tokens':0,'output_tokens':4}") MEV("message_stop", "") },
	{ "the same from messages", C, MEV("message_start", ",'message':{'id':'i','model':'m'}") MEV("content_block_delta", ",'index':0,'delta':{'type':'text_delta','text':'L\\ud83d'},'x':99999999999999999999999")
	  MEV("content_block_start", ",'index':1,'content_block':{'type':'tool_use','id':'t','name':'f','input':{'a':99999999999999999999999}}") MEV("message_delta", ",'delta':{'stop_reason':'tool_use'}") MEV("message_stop", ""),
	  DEL("{'role':'assistant','content':''}", "null") DEL("{'content':'L\\ud83d'}", "null") DEL("{'tool_calls':[{'index':0,'id':'t','type':'function','function':{'name':'f','arguments':''}}]}", "null")
	  DEL("{'tool_calls':[{'index':0,'function':{'arguments':'{\\'a\\':99999999999999999999999}'}}]}", "null") DEL("{}", "'tool_calls'")
	  "data: {'id':'i','object':'chat.completion.chunk','created':9,'model':'m','choices':[],'usage':{'prompt_tokens':3,'completion_tokens':10,'total_tokens':13,'prompt_tokens_details':{'cached_tokens':0}}}\n\ndata: [DONE]\n\n" },
	{ "calls without numbers", M, IN("{'index':0,'delta':{'tool_calls':[{'id':'t','function':{'name':'f','arguments':'{'}}]}}") IN("{'index':0,'delta':{'tool_calls':[{'id':'t','function':{'arguments':'}'}}]}}") IN("{'index':0,'delta':{'tool_calls':[{'id':'u','function':{'name':'g','arguments':'{}'}}]}}"),
	  BEGUN MEV("content_block_start", ",'index':0,'content_block':{'type':'tool_use','id':'t','name':'f','input':{}}") MEV("content_block_delta", ",'index':0,'delta':{'type':'input_json_delta','partial_json':'{'}") MEV("content_block_delta", ",'index':0,'delta':{'type':'input_json_delta','partial_json':'}'}") MEV("content_block_stop", ",'index':0")
	  MEV("content_block_start", ",'index':1,'content_block':{'type':'tool_use','id':'u','name':'g','input':{}}") MEV("content_block_delta", ",'index':1,'delta':{'type':'input_json_delta','partial_json':'{}'}") },
	{ "two calls of one number", M, IN("{'index':0,'delta':{'tool_calls':[{'index':0,'id':'t','function':{'name':'f'}}]}}") IN("{'index':0,'delta':{'tool_calls':[{'index':0,'id':'u','function':{'name':'g'}}]}}"),
	  BEGUN MEV("content_block_start", ",'index':0,'content_block':{'type':'tool_use','id':'t','name':'f','input':{}}") MEV("error", ",'error':{'type':'api_error','message':'the answer has what this API has no word for: a call that goes on behind another one'}") },
	{ "a tool of another kind", M, IN("{'index':0,'delta':{'tool_calls':[{'index':0,'id':'t','type':'custom','custom':{'name':'f'}}]}}"),
	  BEGUN MEV("error", ",'error':{'type':'api_error','message':'the answer has what this API has no word for: a call of nothing'}") },
	{ "arguments that are no text", M, IN("{'index':0,'delta':{'tool_calls':[{'index':0,'id':'t','function':{'name':'f','arguments':{'x':1}}}]}}"),
	  BEGUN MEV("content_block_start", ",'index':0,'content_block':{'type':'tool_use','id':'t','name':'f','input':{}}") MEV("content_block_delta", ",'index':0,'delta':{'type':'input_json_delta','partial_json':'{\\'x\\':1}'}") },
	{ "an end of the server's", M, IN("{'index':0,'delta':{'content':'a'},'finish_reason':'abort'}") "data: [DONE]\n\n",
	  BEGUN MEV("content_block_start", ",'index':0,'content_block':{'type':'text','text':''}") MEV("content_block_delta", ",'index':0,'delta':{'type':'text_delta','text':'a'}") MEV("content_block_stop", ",'index':0")
	  MEV("error", ",'error':{'type':'api_error','message':'the answer has what this API has no word for: abort'}") },
	{ "content in parts", M, IN("{'index':0,'delta':{'content':[{'type':'text','text':'a'}]}}"),
	  BEGUN MEV("error", ",'error':{'type':'api_error','message':'the answer has what this API has no word for: content in parts'}") },
	{ "cut back", M, IN("{'index':0,'delta':{'content':'a'}}"), BEGUN MEV("content_block_start", ",'index':0,'content_block':{'type':'text','text':''}") MEV("content_block_delta", ",'index':0,'delta':{'type':'text_delta','text':'a'}") },
	{ "an error back", M, "data: {'error':{'message':'busy','code':'x'}}\n\n", MEV("error", ",'error':{'type':'api_error','message':'busy'}") },
	{ "calls in disorder", M, IN("{'index':0,'delta':{'tool_calls':[{'index':1,'id':'t','function':{'name':'f'}}]}}") IN("{'index':0,'delta':{'tool_calls':[{'index':0,'id':'u','function':{'name':'g'}}]}}"),
	  BEGUN MEV("content_block_start", ",'index':0,'content_block':{'type':'tool_use','id':'t','name':'f','input':{}}") MEV("error", ",'error':{'type':'api_error','message':'the answer has what this API has no word for: a call that goes on behind another one'}") },
};
/* clang-format on */

/* ' is ", and \' an escaped one. */
static char *
quoted(const char *text)
{
	size_t n = strlen(text);
	char *s = malloc(2 * n + 1), *to = s;

	for (; *text; text++)
		if (text[0] == '\\' && text[1] == '\'') {
			*to++ = '\\';
			*to++ = '"';
			text++;
		} else {
			*to = *text;
			if (*text == '\'')
				*to = '"';
			to++;
		}
	*to = '\0';
	return s;
}

static void
ask(const struct translation_target *said_to, const char *said,
    const char *wanted, const char *what)
{
	struct translation_target to = { said_to->kind, said_to->way,
		!said_to->is_begun };
	char *from = quoted(said), *want = quoted(wanted);
	struct why why = { "" };
	struct buf out;
	enum err e;

	buf_init(&out, 65536);
	e = translation_question(&to, slice_of(from), &out, &why);
	CHECK_INT(e, wanted[0] == '!' ? ERR_SYNTAX : ERR_OK, what);
	CHECK_INT(to.is_begun, said_to->is_begun, what);
	if (e == ERR_OK)
		CHECK_STR(out.data, want, what);
	else if (!strstr(why.text, want + 1))
		CHECK_STR(why.text, want, what);
	buf_done(&out);
	free(from);
	free(want);
}

static void
asks(void)
{
	for (size_t i = 0; i < COUNT(questions); i++) {
		const struct question *q = &questions[i];
		struct translation_target to = { q->to, CONTINUATION_NOT,
			false };

		ask(&to, q->from, q->want, q->what);
	}
	for (size_t i = 0; i < COUNT(beginnings); i++)
		ask(&beginnings[i].to, beginnings[i].from, beginnings[i].want,
		    beginnings[i].what);
}

static void
answers_whole(void)
{
	for (size_t i = 0; i < COUNT(answers); i++) {
		const struct answer *a = &answers[i];
		char *from = quoted(a->from);
		char *want = quoted(a->want ? a->want : "");
		struct translation_guess guess = { 3, 5, false };
		bool is_untold = a->want && a->want[0] == '!';
		struct why why = { "" };
		struct buf out;

		buf_init(&out, 65536);
		CHECK_INT(translation_answer(a->to, slice_of(from), 9, &guess,
		              &out, &why),
		    is_untold     ? ERR_RANGE
		        : a->want ? ERR_OK
		                  : ERR_SYNTAX,
		    a->what);
		if (is_untold)
			CHECK_STR(why.text, want + 1, a->what);
		else
			CHECK_STR(out.data ? out.data : "", want, a->what);
		buf_done(&out);
		free(from);
		free(want);
	}
}

/* However the bytes come. */
static void
answers_streamed(size_t piece)
{
	for (size_t i = 0; i < COUNT(streams); i++) {
		const struct stream *s = &streams[i];
		char *from = quoted(s->from), *want = quoted(s->want);
		struct translation_stream *t =
		    translation_stream_new(s->to, 9, 65536, 3);
		size_t n = strlen(from);
		struct buf out;

		buf_init(&out, 65536);
		for (size_t at = 0; at < n; at += piece)
			CHECK_INT(translation_stream_feed(t, from + at,
			              piece < n - at ? piece : n - at, &out),
			    ERR_OK, s->what);
		CHECK_INT(translation_stream_end(t, &out), ERR_OK, s->what);
		CHECK_STR(out.data ? out.data : "", want, s->what);
		translation_stream_free(t);
		buf_done(&out);
		free(from);
		free(want);
	}
}

static void
says_errors(void)
{
	char message[64], code[32];
	char *body = quoted("{'type':'error','error':{'type':'a','message':'b'}"
	                    "}");

	translation_error(slice_of(body), message, sizeof message, code,
	    sizeof code);
	CHECK_STR(message, "b", "an error's message");
	CHECK_STR(code, "a", "an error's code");
	translation_error(slice_of("<html>"), message, sizeof message, code,
	    sizeof code);
	CHECK_STR(message, "", "what is no error");
	free(body);
}

void
t_translation(void)
{
	asks();
	answers_whole();
	answers_streamed(1);
	answers_streamed(7);
	answers_streamed(65536);
	says_errors();
}
