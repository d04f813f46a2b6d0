//! Chat messages as texts: arrays of objects with a role and a content.
//!
//! One message alone is its content. Several are `role: content`, with an empty line between them. What a message holds beside these, such as
//! calls of tools, follows it as JSON, so that responses that differ in nothing else are not taken for the same; names that a server gives
//! out at random (`id`, `call_id`) do not count.

use serde_json::Value;

/// Keys of messages that say nothing about what was said.
const NAMES: [&str; 5] = ["id", "call_id", "tool_call_id", "status", "logprobs"];

/// Messages being put together.
#[derive(Default)]
pub(crate) struct Chat {
    text: String,
    /// Where the content of the only message so far begins; `None` when its text has more than that.
    plain: Option<usize>,
    messages: usize,
}

impl Chat {
    /// Begins a new chat.
    #[cfg(feature = "arrow")]
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.messages = 0;
    }

    /// Begins a message, whose content follows.
    pub(crate) fn role(&mut self, role: &str) {
        if self.messages > 0 {
            self.text.push_str("\n\n");
        }
        self.messages += 1;
        if !role.is_empty() {
            self.text.push_str(role);
            self.text.push_str(": ");
        }
        self.plain = Some(self.text.len());
    }

    /// Adds to the content of the message.
    pub(crate) fn content(&mut self, content: &str) {
        self.text.push_str(content);
    }

    /// Adds what the message holds beside its content.
    pub(crate) fn other(&mut self, name: &str, value: &Value) {
        if NAMES.contains(&name) || is_nothing(value) {
            return;
        }
        if !self.text.is_empty() && !self.text.ends_with(": ") {
            self.text.push('\n');
        }
        self.text.push_str(&format!("[{name}: {}]", without_names(value)));
        self.plain = None;
    }

    /// The chat as a text.
    pub(crate) fn text(&self) -> &str {
        match (self.messages, self.plain) {
            (1, Some(content)) => &self.text[content..],
            _ => &self.text,
        }
    }
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(values) => values.is_empty(),
        Value::Object(values) => values.is_empty(),
        _ => false,
    }
}

/// The fields of an object in the order of their names: how a response is called must not depend on who wrote it, or on how JSON is held.
fn in_order(fields: &serde_json::Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut fields: Vec<_> = fields.iter().collect();
    fields.sort_by_key(|(name, _)| *name);
    fields
}

/// The value without what servers name at random, and without what is missing: columnar files have a place for everything.
fn without_names(value: &Value) -> Value {
    match value {
        Value::Array(values) => values.iter().map(without_names).collect(),
        Value::Object(fields) => {
            let kept = in_order(fields)
                .into_iter()
                .filter(|(name, value)| !NAMES.contains(&name.as_str()) && !is_nothing(value));
            Value::Object(kept.map(|(name, value)| (name.clone(), without_names(value))).collect())
        }
        other => other.clone(),
    }
}

/// Whether a value is a list of messages.
pub(crate) fn is_chat(value: &Value) -> bool {
    let is_message = |message: &Value| message.get("role").is_some() && message.get("content").is_some();
    value.as_array().is_some_and(|messages| !messages.is_empty() && messages.iter().all(is_message))
}

/// The text of a chat, of a list of other items that a model has put out, or of a text; `None` for anything else.
pub(crate) fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => {
            let mut chat = Chat::default();
            for item in items {
                push_item(&mut chat, item.as_object()?);
            }
            Some(chat.text().to_owned())
        }
        _ => None,
    }
}

/// The same of a value as JSON writes it.
pub(crate) fn text_of_json(json: &str) -> Option<String> {
    text_of(&serde_json::from_str(json).ok()?)
}

fn push_item(chat: &mut Chat, item: &serde_json::Map<String, Value>) {
    let text = |key: &str| item.get(key).and_then(Value::as_str);
    let is_message = item.contains_key("role") || item.contains_key("content");
    // Calls of tools and their results have a type instead of a role.
    chat.role(text("role").or_else(|| text("type").filter(|_| !is_message)).unwrap_or_default());
    push_content(chat, item.get("content").unwrap_or(&Value::Null));
    for (name, value) in
        in_order(item).into_iter().filter(|(name, _)| !["role", "content", "type"].contains(&name.as_str()))
    {
        chat.other(name, value);
    }
}

/// A content is a text or a list of parts with texts; other parts stay JSON.
pub(crate) fn push_content(chat: &mut Chat, content: &Value) {
    match content {
        Value::String(text) => chat.content(text),
        Value::Array(parts) => {
            for part in parts {
                match part.get("text").and_then(Value::as_str) {
                    Some(text) => chat.content(text),
                    None => chat.other("content", part),
                }
            }
        }
        other => chat.other("content", other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn messages_are_texts() {
        let of = |value: Value| text_of(&value).unwrap();
        assert_eq!(of(json!("2+2?")), "2+2?");
        assert_eq!(of(json!([{"role": "user", "content": "2+2?"}])), "2+2?");
        let two = json!([{"role": "system", "content": "Be short."}, {"content": "2+2?", "role": "user"}]);
        assert!(is_chat(&two));
        assert_eq!(of(two), "system: Be short.\n\nuser: 2+2?");
        assert_eq!(of(json!([{"role": "user", "content": [{"type": "text", "text": "a"}, {"text": "b"}]}])), "ab");
        let call = |id: &str, city: &str| {
            of(
                json!([{"role": "assistant", "content": null, "tool_calls": [{"id": id, "function": {"name": "weather", "arguments": city}}]}]),
            )
        };
        assert_eq!(
            call("1", "Rome"),
            "assistant: [tool_calls: [{\"function\":{\"arguments\":\"Rome\",\"name\":\"weather\"}}]]"
        );
        assert_eq!(call("1", "Rome"), call("2", "Rome"));
        assert_ne!(call("1", "Rome"), call("1", "Oslo"));
        assert_eq!(text_of(&json!({"role": "user"})), None);
        assert!(!is_chat(&json!([1, 2])) && !is_chat(&json!([])));
    }

    #[test]
    fn items_of_responses_are_texts() {
        let output = json!([
            {"type": "function_call", "name": "weather", "arguments": "{}", "call_id": "x", "id": "y"},
            {"type": "message", "role": "assistant", "id": "z", "content": [{"type": "output_text", "text": "Sunny."}]}
        ]);
        assert_eq!(
            text_of(&output).unwrap(),
            "function_call: [arguments: \"{}\"]\n[name: \"weather\"]\n\nassistant: Sunny."
        );
    }
}
